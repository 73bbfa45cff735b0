/**
 * `deploy/Dockerfile`, run without an image: a user without rights on a read-only folder, files like those of a
 * ConfigMap, its health check, and signals to process 1.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createClient } from '../support/client.js';
import { readInstructions } from '../support/deploy.js';
import { pickFreePort, findProgram, pause } from '../support/guarded-server.js';
import { createFormData, PNG_RED } from '../support/pictures.js';
import { PLUGIN_FIXTURES, defineReturnResource, ROOT } from '../support/project.js';
import { serveInProcess, waitUntilReady } from '../support/serve.js';
import { skipTest } from '../support/skip.js';

const run = promisify(execFile);
const CLI = join(ROOT, 'dist', 'bundle', 'cli.js');
const DEFINITION = JSON.stringify([
  defineReturnResource('echo', '$PAYLOAD'),
  {
    id: 'add',
    resource: 'add',
    actionables: [{ id: 1, mode: 'UPLOAD', uploads: { allowed_mimetypes: ['image/png'], upload_folder: 'x' } }],
  },
]);

/** Another user than root, where this one is root and the other may read the repository. */
async function lent(): Promise<readonly string[]> {
  const words = ['setpriv', '--reuid=1000', '--regid=1000', '--clear-groups', '--no-new-privs'];
  if (process.getuid?.() !== 0) return [];
  const [program = '', ...rest] = [...words, process.execPath, CLI, '--version'];
  return run(program, rest).then(
    () => words,
    () => [],
  );
}

describe('container', function () {
  const folders: string[] = [];
  const createImageFolder = async (): Promise<string> => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'lintel-image-')));
    folders.push(folder);
    return folder;
  };
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));
  const { start } = serveInProcess();

  it('serves a read-only folder, mounted like a map of Kubernetes, as a user without rights', async () => {
    const [project, temporary] = [await createImageFolder(), await createImageFolder()];
    // Each file is a link to one below `..data`, which is a link itself: found once, not twice.
    const definitions = join(project, 'definitions');
    await mkdir(join(definitions, '..2026_01_01'), { recursive: true });
    await writeFile(join(definitions, '..2026_01_01', 'a.json'), DEFINITION);
    await symlink('..2026_01_01', join(definitions, '..data'));
    await symlink(join('..data', 'a.json'), join(definitions, 'a.json'));
    const files = join(temporary, 'files');
    const config = { storage: { use: 'local-disk', path: files } };
    await writeFile(join(project, 'lintel.config.json'), JSON.stringify(config));
    for (const folder of [join(definitions, '..2026_01_01'), definitions, project]) await chmod(folder, 0o555);
    await chmod(temporary, 0o777);

    const words = await lent();
    const [program = '', ...rest] = [...words, process.execPath, CLI, 'serve'];
    const env = { PATH: process.env['PATH'], PORT: '0', NODE_ENV: 'production', TMPDIR: temporary };
    const child = spawn(program, rest, { cwd: project, env });
    let output = '';
    const url = await new Promise<string>((resolve, reject) => {
      const appendOutput = (text: Buffer): void => {
        output += String(text);
        const found = /ready at (http:\S+)/.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      };
      child.stdout.on('data', appendOutput);
      child.stderr.on('data', appendOutput);
      child.once('exit', () => reject(new Error(output)));
    });
    const client = createClient(url);
    expect((await client.post('/echo', { a: 1 })).body).to.deep.equal({ a: 1 });
    const part = { name: 'file', content: PNG_RED, file: 'red.png', type: 'image/png' };
    expect((await client.request('POST', '/add', { body: createFormData([part]) })).status).to.equal(200);
    const over = once(child, 'exit');
    child.kill('SIGTERM');
    expect((await over)[0]).to.equal(0);
  });

  it('is healthy only while Lintel responds', async () => {
    const check = readInstructions('Dockerfile').find(({ word }) => word === 'HEALTHCHECK')?.rest ?? '';
    const [node = '', ...words] = JSON.parse(check.slice(check.indexOf('['))) as string[];
    expect(node).to.equal('node');
    const client = await waitUntilReady(await start({ 'definitions/a.json': defineReturnResource('a', 1) }));
    const runHealthCheck = (port: string): Promise<number> =>
      run(process.execPath, words, { env: { PORT: port } }).then(
        () => 0,
        (error: { code: number }) => error.code,
      );
    expect(await runHealthCheck(new URL(client.url).port)).to.equal(0);
    expect(await runHealthCheck(String(await pickFreePort()))).to.equal(1);
  });

  describe('with Lintel as the first process', () => {
    let words: readonly string[] = [];
    before(async function () {
      const unshare = findProgram('unshare');
      const works =
        unshare !== undefined &&
        (await run(unshare, ['-p', '-f', 'true']).then(
          () => true,
          () => false,
        ));
      if (!works) return skipTest(this, 'no container engine; `apt-get install podman`');
      words = [unshare, '-p', '-f', '--kill-child', process.execPath, CLI, 'serve'];
    });

    /** Starts it as process 1, waits for a line, sends SIGTERM to it; its exit code, and the duration. */
    async function stopAfterLine(cwd: string, line: RegExp): Promise<{ code: unknown; ms: number }> {
      const [program = '', ...rest] = words;
      const outer = spawn(program, rest, { cwd, env: { PATH: process.env['PATH'], PORT: '0' } });
      const over = once(outer, 'exit');
      let output = '';
      outer.stdout.on('data', (text: Buffer) => (output += String(text)));
      outer.stderr.on('data', (text: Buffer) => (output += String(text)));
      const end = Date.now() + 20_000;
      while (!line.test(output)) {
        if (Date.now() > end) throw new Error(output);
        await pause(20);
      }
      const inner = await readFile(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8');
      const since = performance.now();
      process.kill(Number(inner), 'SIGTERM');
      const [code] = (await over) as [unknown];
      return { code, ms: performance.now() - since };
    }

    it('ends in order on SIGTERM', async () => {
      const folder = await createImageFolder();
      await mkdir(join(folder, 'definitions'));
      await writeFile(join(folder, 'definitions', 'a.json'), DEFINITION);
      const { code, ms } = await stopAfterLine(folder, /ready at/);
      expect(code).to.equal(0);
      expect(ms).to.be.below(5000);
    });

    it('ends on SIGTERM while it starts', async () => {
      const folder = await createImageFolder();
      await mkdir(join(folder, 'definitions'));
      const plugins = ['builtin:*', join(PLUGIN_FIXTURES, 'broken', 'open-hangs')];
      await writeFile(join(folder, 'lintel.config.json'), JSON.stringify({ plugins, deadlines: { open: 20 } }));
      const hanging = defineReturnResource('a', '$GENERATOR.OPENHANGS');
      await writeFile(join(folder, 'definitions', 'a.json'), JSON.stringify(hanging));
      const { code, ms } = await stopAfterLine(folder, /waiting for the plugin to open/);
      expect(code).to.equal(143);
      expect(ms).to.be.below(5000);
    });
  });
});
