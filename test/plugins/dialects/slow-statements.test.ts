/** Which statements leave the shared connections: not those that a busy moment made late. */
import { expect } from 'chai';
import { createSlowStatements } from '../../../plugins/dialects/postgres/slow-statements.js';

describe('slow statements', () => {
  const start = (): { slow: ReturnType<typeof createSlowStatements>; pass: (ms: number) => void } => {
    let now = 0;
    return { slow: createSlowStatements(() => now), pass: (ms) => (now += ms) };
  };

  it('forgive what is late now and then', () => {
    const { slow } = start();
    for (let n = 0; n < 100; n++) slow.recordDuration('a', n % 3 === 0 ? 1 : 60);
    expect(slow.has('a')).to.equal(false);
  });

  it('know what is late three times in a row, and nothing else', () => {
    const { slow } = start();
    for (let n = 0; n < 3; n++) slow.recordDuration('a', 60);
    expect([slow.has('a'), slow.has('b')]).to.deep.equal([true, false]);
  });

  it('know what is very late at once, for ten seconds', () => {
    const { slow, pass } = start();
    slow.recordDuration('a', 501);
    pass(9_999);
    expect(slow.has('a')).to.equal(true);
    pass(1);
    expect(slow.has('a')).to.equal(false);
  });

  it('are tried by one caller after they were late among others, and left alone once the trial was late too', () => {
    const { slow } = start();
    const again = (): void => undefined;
    slow.recordDuration('a', 501);
    expect(slow.requestTurn('a', again)).to.equal('first');
    expect(slow.requestTurn('a', again)).to.equal('wait');
    slow.recordDuration('a', 501);
    expect(slow.requestTurn('a', again)).to.equal('late');
  });

  it('know what is large for ten seconds after its last large result', () => {
    const { slow, pass } = start();
    slow.recordLarge('a');
    pass(9_000);
    slow.recordLarge('a');
    pass(9_999);
    expect([slow.isLarge('a'), slow.isLarge('b'), slow.has('a')]).to.deep.equal([true, false, false]);
    pass(2);
    expect(slow.isLarge('a')).to.equal(false);
  });
});
