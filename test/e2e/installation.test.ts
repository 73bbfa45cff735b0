/**
 * Lintel as npm installs it: the files of the package and its dependencies, and nothing that only this repository has.
 * It is small, serves PostgreSQL, and names what a project must add for everything else. A project of `lintel init` installs it
 * without a network.
 */
import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { bareEnv, startCli, type Child } from '../support/child.js';
import { createClient } from '../support/client.js';
import { recordOutput } from '../support/output.js';
import { startPackageRegistry } from '../support/package-registry.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import {
  createTempProject,
  defineQueryResource,
  PLUGIN_FIXTURES,
  ROOT,
  type Files,
  type TempProject,
} from '../support/project.js';
import { skipTest } from '../support/skip.js';

const run = promisify(execFile);

interface Lock {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly dependencies?: Readonly<Record<string, string>>;
        /** Of one platform each. */
        readonly optionalDependencies?: Readonly<Record<string, string>>;
        readonly optional?: boolean;
      }
    >
  >;
}
const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;

interface PackedFiles {
  /** Bytes of the archive. */
  readonly size: number;
  readonly filename: string;
  readonly files: readonly string[];
}

async function packFiles(folder: string): Promise<PackedFiles> {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: ROOT,
    maxBuffer: 1e7,
  });
  const [packed] = JSON.parse(stdout) as {
    readonly filename: string;
    readonly size: number;
    readonly files: readonly { readonly path: string }[];
  }[];
  const { size = Infinity, filename = '', files = [] } = packed ?? {};
  return { size, filename, files: files.map(({ path }) => path) };
}

/** Folders below `node_modules` of these packages and of all that they depend on, as the lock file has them. */
function listDependencies(names: readonly string[]): string[] {
  const found = new Set<string>();
  const open = names.map((name) => ({ name, from: '' }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { name, from } = next;
    const places = from.split('/node_modules/').map((_, n, all) => all.slice(0, all.length - n).join('/node_modules/'));
    const folder = [
      ...places.filter(Boolean).map((place) => `${place}/node_modules/${name}`),
      `node_modules/${name}`,
    ].find((place) => place in packages);
    if (folder === undefined || found.has(folder) || !existsSync(join(ROOT, folder))) continue;
    found.add(folder);
    const { dependencies, optionalDependencies } = packages[folder] ?? {};
    for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies }))
      open.push({ name: dependency, from: folder });
  }
  return [...found];
}

const measureMiB = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0) /
  2 ** 20;

const FILES = {
  'definitions/_note.model.json': {
    id: { type: 'Number', primary_key: true, auto_increment: true },
    text: { type: 'String' },
  },
  'definitions/add.json': defineQueryResource(
    'add',
    'INSERT INTO notes (text) VALUES ($1) RETURNING text',
    ['$PAYLOAD.text'],
    {
      returnables: ['text'],
    },
  ),
};

describe('installation', function () {
  let folder = '';
  let packed!: PackedFiles;
  let own: string[] = [];
  const projects: TempProject[] = [];

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'lintel-installed-')));
    packed = await packFiles(folder);
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    own = listDependencies(Object.keys(dependencies));
    for (const file of packed.files) {
      const target = join(folder, 'node_modules/lintel', file);
      mkdirSync(dirname(target), { recursive: true });
      cpSync(join(ROOT, file), target);
    }
    for (const place of own) cpSync(join(ROOT, place), join(folder, place), { recursive: true });
  });
  after(async () => {
    await Promise.all(projects.map((project) => project.dispose()));
    await rm(folder, { recursive: true, force: true });
  });

  async function lintel(
    words: readonly string[],
    files: Files,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Child> {
    const project = await createTempProject(files);
    projects.push(project);
    return startCli(words, {
      cwd: project.folder,
      env: { PORT: '0', ...env },
      file: join(folder, 'node_modules/lintel/dist/bundle/cli.js'),
    });
  }

  it('is small', () => {
    expect(packed.size / 2 ** 20, 'MiB of the archive').to.be.lessThan(2);
    expect(own.length + 1, 'packages').to.be.lessThan(60);
    const size = measureMiB(join(folder, 'node_modules'));
    expect(size, 'MiB').to.be.lessThan(30);
    const embedded = listDependencies(['@electric-sql/pglite']);
    expect(size + embedded.reduce((sum, place) => sum + measureMiB(join(ROOT, place)), 0), 'MiB').to.be.lessThan(60);
  });

  it('has every file that its pages link to', () => {
    const files = new Set(packed.files);
    const isThere = (path: string): boolean =>
      files.has(path) || packed.files.some((file) => file.startsWith(`${path}/`));
    const lost = packed.files
      .filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md')
      .flatMap((file) =>
        [
          ...readFileSync(join(ROOT, file), 'utf8')
            .replace(/`[^`\n]*`/g, '')
            .matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g),
        ]
          .map(([, path = '']) => normalize(join(dirname(file), path)).replace(/\/$/, ''))
          .filter((path) => !isThere(path))
          .map((path) => `${file}: ${path}`),
      );
    expect(lost).to.deep.equal([]);
  });

  it('has all declarations that its own refer to', () => {
    const files = new Set(packed.files);
    const declarations = packed.files.filter((file) => file.endsWith('.d.ts'));
    const lost = declarations.flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)]
        .map(([, path = '']) => normalize(join(dirname(file), `${path}.d.ts`)))
        .filter((path) => !files.has(path)),
    );
    expect([declarations.length > 50, lost]).to.deep.equal([true, []]);
  });

  it('creates a project that installs the archive and the packages that it uses without a network, and starts', async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    const lock = { packages: { 'node_modules/lintel': { resolved: `file:${packed.filename}` } } };
    writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify(lock));
    const command = await lintel(['init', 'shop'], {});
    expect(await command.finished).to.deep.include({ code: 0 });
    const made = join(projects.at(-1)?.folder ?? '', 'shop');
    const { dependencies } = JSON.parse(readFileSync(join(made, 'package.json'), 'utf8')) as Lock['packages'][string];
    expect(resolve(made, (dependencies?.['lintel'] ?? '').replace('file:', ''))).to.equal(
      join(folder, packed.filename),
    );
    expect(dependencies?.['@electric-sql/pglite']).to.match(/^\d/);
    const registry = await startPackageRegistry([
      ...own,
      ...listDependencies(['@electric-sql/pglite', 'swagger-ui-dist']),
    ]);
    const env = {
      ...bareEnv(),
      ...{ npm_config_registry: registry.url, npm_config_cache: join(folder, 'npm-cache'), npm_config_audit: 'false' },
      ...{ npm_config_update_notifier: 'false', PORT: '0', DATABASE_URL: await createPostgresDatabase() },
    };
    try {
      await run('npm', ['install', '--omit=dev', '--ignore-scripts'], { cwd: made, env });
    } finally {
      await registry.stop();
    }
    const npm = spawn('npm', ['start'], { cwd: made, env, detached: true });
    const { appendText, close, fail, finished, waitForOutput } = recordOutput();
    for (const name of ['stdout', 'stderr'] as const)
      npm[name].setEncoding('utf8').on('data', (text: string) => appendText(name, text));
    npm.once('error', fail).once('close', close);
    try {
      const [, url = ''] = await waitForOutput(/ready at (http:\S+)/);
      expect((await createClient(url).post('/health')).status).to.equal(200);
    } finally {
      // npm and its shell pass on no signal.
      process.kill(-(npm.pid ?? NaN), 'SIGTERM');
      await finished;
    }
  });

  it('tests plugins of a project by `lintel/testing`: their specs, and what their facts promise', async () => {
    for (const place of listDependencies(['chai', 'fast-check']))
      cpSync(join(ROOT, place), join(folder, place), { recursive: true });
    const made = join(folder, 'tested');
    const source = join(PLUGIN_FIXTURES, 'short-code');
    const spec = readFileSync(join(source, 'spec.js'), 'utf8');
    // The second one promises more characters than it makes.
    const texts = { valid: spec, invalid: spec.replaceAll('SHORTCOD', 'OTHERCOD').replace('length: 8', 'length: 9') };
    for (const [name, text] of Object.entries(texts)) {
      mkdirSync(join(made, 'plugins', name), { recursive: true });
      writeFileSync(join(made, 'plugins', name, 'spec.js'), text);
      cpSync(join(source, 'runtime.js'), join(made, 'plugins', name, 'runtime.js'));
    }
    writeFileSync(join(made, 'package.json'), '{ "type": "module" }');
    const suite = "import { testPlugins } from 'lintel/testing';\nawait testPlugins('plugins');\n";
    writeFileSync(join(made, 'plugins.test.js'), suite);
    const options = { cwd: made, env: { PATH: process.env['PATH'] } };
    // The file alone is a test run too, in one process less than with `--test`.
    const { code, stdout } = await run(process.execPath, ['--test-reporter=tap', 'plugins.test.js'], options).then(
      (ended) => ({ code: 0, ...ended }),
      (error: { code: number; stdout: string }) => error,
    );
    expect(code, stdout).to.equal(1);
    const results = [...stdout.matchAll(/^ +(ok|not ok) \d+ - (.*)$/gm)].map(
      ([, result, title]) => `${result} ${title}`,
    );
    const promise = 'generates texts of its pattern and length';
    expect(results).to.include.members([
      'ok spec of generator:SHORTCODE',
      'ok spec of generator:OTHERCODE',
      'ok generator SHORTCODE',
      `ok ${promise}`,
      'not ok generator OTHERCODE',
      `not ok ${promise}`,
    ]);
    const wrong = results.filter((result) => result.startsWith('not ok') && !/generator|plugins of/.test(result));
    expect(wrong).to.deep.equal([`not ok ${promise}`]);
  });

  it('names the missing package of a store that the config selects', async () => {
    const config = { connections: { main: { use: 'mysql', url: 'mysql://a@127.0.0.1/b' } } };
    const command = await lintel(['check'], { ...FILES, 'lintel.config.json': config });
    expect(await command.finished).to.deep.include({ code: 1 });
    expect(command.output()).to.match(
      /error PLG_PACKAGE `dialect:mysql` needs mysql2, not installed here: `npm install mysql2@\d/,
    );
  });

  it('does not start without the embedded database, and names the command that adds it', async () => {
    const command = await lintel(['serve'], FILES);
    expect(await command.finished).to.not.deep.include({ code: 0 });
    expect(command.output()).to.contain('npm install @electric-sql/pglite@');
  });

  it('serves PostgreSQL, and warns that no database checks the statements', async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    const env = { DATABASE_URL: await createPostgresDatabase() };
    const check = await lintel(['check'], FILES, env);
    expect(await check.finished).to.deep.include({ code: 0 });
    expect(check.output()).to.contain('warning PLG_UNCHECKED').and.contain('0 errors, 1 warning');
    const served = await lintel(['serve'], FILES, env);
    const [, url = ''] = await served.waitForOutput(/ready at (http:\S+)/);
    const { status, body } = await createClient(url).post('/add', { text: 'light' });
    expect([status, body]).to.deep.equal([200, { text: 'light' }]);
    expect(await served.stop()).to.deep.include({ code: 0 });
  });
});
