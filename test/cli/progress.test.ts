/** The progress line of long commands: it is redrawn on a terminal; anywhere else it is plain lines. */
import { expect } from 'chai';
import { createProgress } from '../../cli/migrate.js';

const CLEAR = '\r\u001b[2K';

function fakeStream(isTTY: boolean, columns = 30): { stream: NodeJS.WriteStream; written: () => string } {
  let text = '';
  const write = (part: string): boolean => {
    text += part;
    return true;
  };
  return { stream: { isTTY, columns, write } as unknown as NodeJS.WriteStream, written: () => text };
}

describe('progress', () => {
  it('prints plain lines without a terminal', () => {
    const { stream, written } = fakeStream(false);
    const progress = createProgress(stream);
    progress.show('1/2 first');
    progress.show('2/2 second');
    progress.stop();
    expect(written()).to.equal('1/2 first\n2/2 second\n');
  });

  it('prints one line on a terminal, which never wraps and keeps what is finished', () => {
    const { stream, written } = fakeStream(true, 12);
    const progress = createProgress(stream);
    progress.show('1/2 a step with a long name');
    expect(written().slice(CLEAR.length))
      .to.match(/^\S 1\/2 a ste$/u)
      .and.have.lengthOf(11);
    progress.show('2/2 b');
    progress.stop();
    expect(written().split(CLEAR).at(2)).to.equal('  1/2 a step with a long name\n');
    expect(written().endsWith(`${CLEAR}  2/2 b\n`)).to.equal(true);
  });
});
