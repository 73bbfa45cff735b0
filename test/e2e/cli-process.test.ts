/**
 * Every command as a process of its own: the same output and exit code as in the process of the tests, where all else about them is
 * tested. `serve`, `dev` and `lsp`, which go on, have tests of their own that start processes.
 */
import { createHash } from 'node:crypto';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { COMMANDS } from '../../cli/commands.js';
import { formatBackupManifest } from '../../cli/backup-manifest.js';
import { spawnCli } from '../support/child.js';
import { runCli, type Finished, type RunOptions } from '../support/cli.js';
import {
  PLUGIN_FIXTURES,
  defineQueryResource,
  defineReturnResource,
  ROOT,
  createTempProject,
  type Files,
} from '../support/project.js';

const MODEL = { id: { type: 'Number', primary_key: true, auto_increment: true }, name: { type: 'String' } };
const A = { size: 1, sha256: createHash('sha256').update('a').digest('hex') };
const PACKAGE = { name: 'cats', version: '1.2.3', type: 'module' };
const FILES: Files = {
  'package.json': PACKAGE,
  'lintel.config.json': {
    plugins: ['builtin:*', './plugins'],
    connections: { main: { use: 'pglite', path: 'memory://' } },
  },
  'definitions/_cat.json': MODEL,
  'definitions/a.json': [
    defineReturnResource('a', '$GENERATOR.JOB_ADMIN'),
    defineQueryResource('cats', 'SELECT id, name FROM cat WHERE name = $1', ['$ENV.NAME']),
  ],
  '.env.example': 'KEY=generate:9\n',
  'jobs.json': [],
  '.lintel/files/open/a.txt': 'a',
  'copy/manifest.json': formatBackupManifest('1.0.0', [
    { part: 'storage:storage', plugin: 'local-disk', folder: 'storage', folders: [], files: { a: A } },
  ]),
  'copy/storage/a': 'a',
  'other.json': { storage: { use: 'local-disk', path: 'restored' } },
};
/**
 * The plugin of the other files holds data that no case of `test` can empty. `client` checks statements as `openapi` does, which takes
 * a database.
 */
const SMALL = new Set(['client', 'test']);
const TEST_FILES: Files = {
  'package.json': PACKAGE,
  'definitions/a.json': defineReturnResource('a', 1),
  'definitions/a.test.json': { id: 'one', cases: [{ id: 'is returned', steps: [{ request: { resource: 'a' } }] }] },
};
const BROKEN = '{\n  "id": "b",\n  "resource": "b",\n  "actionables": [{ "id": 1, "mode": "RETRUN" }]\n}\n';

/** Arguments of a new process, by command. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  init: ['init', 'shop'],
  env: ['env'],
  check: ['check', '--trust'],
  audit: ['audit', '--trust'],
  migrate: ['migrate', '--format', 'json', '--trust'],
  jobs: ['jobs', 'list', '--trust'],
  backup: ['backup', 'made', '--trust'],
  restore: ['restore', 'copy', '--config', 'other.json', '--trust'],
  plan: ['plan', 'cats', '--trust'],
  test: ['test', '--reporter', 'tap', '--trust'],
  openapi: ['openapi', '--trust'],
  client: ['client', '--trust'],
  add: ['add', 'crud', '_cat', '--dry-run', '--trust'],
  schema: ['schema', '--for', 'model', '--out', 'schemas', '--trust'],
  docs: ['docs', '--out', 'pages', '--trust'],
  manifest: ['manifest', 'plugins'],
};

describe('command in its own process', function () {
  async function runIn(
    run: (words: readonly string[], options: RunOptions) => Promise<Finished>,
    words: readonly string[],
    files: Files = FILES,
  ): Promise<Finished> {
    const project = await createTempProject(files);
    try {
      await mkdir(join(project.folder, 'node_modules'));
      await symlink(ROOT, join(project.folder, 'node_modules/lintel'));
      await cp(join(PLUGIN_FIXTURES, 'job-admin'), join(project.folder, 'plugins'), { recursive: true });
      return await run(words, { cwd: project.folder, env: { NAME: 'Tom' } });
    } finally {
      await project.dispose();
    }
  }
  async function compare(words: readonly string[], files?: Files): Promise<Finished> {
    const [child, here] = [await runIn(spawnCli, words, files), await runIn(runCli, words, files)];
    expect(child).to.deep.equal(here);
    return child;
  }

  for (const [name, words] of Object.entries(WORDS)) {
    it(`lintel ${name} prints the same as in this process, and exits with 0`, async () => {
      const { code, stdout } = await compare(words, SMALL.has(name) ? TEST_FILES : FILES);
      expect([code, stdout === '']).to.deep.equal([0, false]);
    });
  }

  it('is tested for every command that ends and needs no server', () => {
    expect(['serve', 'dev', 'lsp', 'dap', 'mcp', 'import', ...Object.keys(WORDS)]).to.have.members(
      Object.keys(COMMANDS),
    );
  });

  it('rejects definitions with errors in the same way: problems on stdout, exit code 1', async () => {
    const { code, stdout } = await compare(['check', '--trust'], { ...FILES, 'definitions/b.json': BROKEN });
    expect(code).to.equal(1);
    expect(stdout).to.contain('definitions/b.json:4:38');
  });

  it('reports wrong arguments in the same way: text on stderr, exit code 2', async () => {
    const { code, stdout, stderr } = await compare(['chekc']);
    expect([code, stdout]).to.deep.equal([2, '']);
    expect(stderr).to.contain('Did you mean "check"?');
  });
});
