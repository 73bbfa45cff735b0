/** Statements of the embedded database that arrive in one turn of the event loop. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createTurns } from '../../../plugins/dialects/pglite/dialect.js';

describe('statements of one turn', () => {
  it('are all executed before the first result is returned, also if one fails', async () => {
    const turns = createTurns();
    const seen: string[] = [];
    const run = (name: string): Promise<unknown> =>
      turns
        .run(async () => {
          seen.push(`run ${name}`);
          await Promise.resolve();
          if (name === 'b') throw new Error('refused');
        })
        .catch(() => undefined)
        .then(() => seen.push(`return ${name}`));
    await Promise.all([run('a'), run('b'), run('c')]);
    expect(seen.slice(0, 3)).to.deep.equal(['run a', 'run b', 'run c']);
    expect(seen.slice(3)).to.have.members(['return a', 'return b', 'return c']);
  });

  it('do not wait for a transaction that lasts longer', async () => {
    const turns = createTurns();
    const transaction = turns.joinTurn();
    expect(await turns.run(async () => 'row')).to.equal('row');
    await transaction.begun;
    let isOver = false;
    const left = transaction.endMember().then(() => (isOver = true));
    await nextTurn();
    expect(isOver).to.equal(true);
    await left;
  });
});
