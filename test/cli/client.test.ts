/** `lintel client`: what it writes and how it compares. What the file does is tested in `e2e/typed-client`. */
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCli } from '../support/cli.js';
import { createTempProject, defineReturnResource } from '../support/project.js';

describe('lintel client', () => {
  it('writes a file, accepts it while it is current, and reports when it is not', async () => {
    const project = await createTempProject({ 'definitions/a.json': defineReturnResource('a', 1) });
    const run = (...words: string[]): ReturnType<typeof runCli> =>
      runCli(['client', ...words], { cwd: project.folder });
    try {
      expect((await run('--out', 'web/client.ts')).code).to.equal(0);
      const text = await readFile(join(project.folder, 'web/client.ts'), 'utf8');
      expect(text).to.match(/^ {2}a\(payload\?: .*Promise<Result<.*, ACode>>;$/m);
      expect(await run('--check', '--out', 'web/client.ts')).to.include({
        code: 0,
        stdout: 'web/client.ts: current\n',
      });
      await project.write('definitions/a.json', defineReturnResource('a', 'other'));
      const { code, stderr } = await run('--check', '--out', 'web/client.ts');
      expect(code).to.equal(1);
      expect(stderr).to.contain('CLI_STALE').and.contain('lintel client');
      expect(await readFile(join(project.folder, 'web/client.ts'), 'utf8')).to.equal(text);
    } finally {
      await project.dispose();
    }
  });
});
