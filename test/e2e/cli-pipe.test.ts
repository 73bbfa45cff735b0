/** Output into a pipe whose reader has closed, like `lintel schema | head`: no error, and the same exit code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT, createTempProject } from '../support/project.js';

async function withoutReader(command: string, cwd: string): Promise<readonly [number | null, string]> {
  const child = spawn(process.execPath, [join(ROOT, 'dist/bundle/cli.js'), command], { cwd });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  child.stdout.destroy();
  const [code] = (await once(child, 'close')) as [number | null];
  return [code, complaints];
}

describe('lintel into a pipe', () => {
  it('ends without output when the reader is closed', async () => {
    expect(await withoutReader('schema', ROOT)).to.deep.equal([0, '']);
  });

  it('rejects a definition with errors even if the output is not read', async () => {
    const project = await createTempProject({ 'definitions/a.json': '{ "resource": 1 }' });
    try {
      expect(await withoutReader('check', project.folder)).to.deep.equal([1, '']);
    } finally {
      await project.dispose();
    }
  });
});
