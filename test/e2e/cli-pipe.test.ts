/** Output into a pipe whose reader has seen enough, as `lintel schema | head` does. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/project.js';

describe('lintel into a pipe', () => {
  it('ends without a word when the reader is gone', async () => {
    const child = spawn(process.execPath, [join(ROOT, 'dist/kernel/cli.js'), 'schema'], { cwd: ROOT });
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    child.stdout.destroy();
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, complaints]).to.deep.equal([0, '']);
  });
});
