/**
 * `lintel init` and `lintel env`: the new project checks, serves and keeps its secrets private; nothing is ever
 * overwritten.
 */
import { access, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { expect } from 'chai';
import { hostCli, runCli } from '../support/cli.js';
import { createClient, type Loose } from '../support/client.js';
import { copySample, ROOT, SAMPLE_ENV, createTempProject, type Files, type TempProject } from '../support/project.js';

/** The minimum cost of a hash; usual costs are tested with the hashers. */
const QUICK_HASH = '"algorithm": "BCRYPT", "options": { "rounds_cost": 4 } }],';

const projects: TempProject[] = [];
async function folderWith(files: Files = {}): Promise<TempProject> {
  const project = await createTempProject(files);
  projects.push(project);
  return project;
}
after(() => Promise.all(projects.map((project) => project.dispose())));

describe('lintel init', function () {
  let folder: string;
  let printed: string;

  before(async () => {
    const { folder: around } = await folderWith();
    const { code, stdout, stderr } = await runCli(['init', 'My Shop'], { cwd: around });
    expect([code, stderr]).to.deep.equal([0, '']);
    printed = stdout;
    folder = join(around, 'My Shop');
  });
  const text = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');

  it('prints the written files and the next command', async () => {
    for (const file of ['lintel.config.json', '.env.example', '.gitignore', 'package.json', '.vscode/settings.json']) {
      expect(printed).to.contain(`+ ${file}\n`);
      await access(join(folder, file));
    }
    expect(printed).to.match(/next:\n {2}cd My Shop\n {2}npm install\n {2}npm run dev\n$/);
  });

  it('writes a package with a valid name that depends on the lintel that created it: here a checkout, which is in no registry', async () => {
    const made = JSON.parse(await text('package.json')) as Record<
      'dependencies' | 'scripts',
      Record<string, string>
    > & { name: string };
    expect(made.name).to.equal('my-shop');
    const from = made.dependencies['lintel'] ?? '';
    expect(from).to.match(/^file:/);
    expect(resolve(folder, from.slice('file:'.length))).to.equal(ROOT);
    const own = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await text('README.md')).to.contain(`Lintel ${own.version}:`);
    expect(Object.keys(made.scripts)).to.include.members(['start', 'dev', 'check']);
    for (const name of ['package.json', 'README.md', '.env.example']) expect(await text(name)).not.to.contain('{{');
  });

  it('writes .env with new secrets, readable by its owner only, and ignored', async () => {
    const { JWT_SECRET_KEY: secret } = parseEnv(await text('.env'));
    expect(secret).to.match(/^[A-Za-z0-9]{48}$/);
    expect(printed).not.to.contain(secret);
    expect((await stat(join(folder, '.env'))).mode & 0o777).to.equal(0o600);
    expect((await text('.gitignore')).split('\n')).to.include.members(['.env', '.lintel/']);
    const { folder: other } = await folderWith();
    await runCli(['init', 'other'], { cwd: other });
    expect(parseEnv(await readFile(join(other, 'other/.env'), 'utf8'))['JWT_SECRET_KEY']).not.to.equal(secret);
  });

  it('creates a project without problems that serves users and their own notes', async () => {
    await mkdir(join(folder, 'node_modules'));
    await symlink(ROOT, join(folder, 'node_modules/lintel'));
    const checked = await runCli(['check'], { cwd: folder });
    expect([checked.code, checked.stdout]).to.deep.equal([0, '0 errors, 0 warnings, 0 hints\n']);
    const users = join(folder, 'definitions/resources/users.resource.json');
    const usual = '"algorithm": "BCRYPT" }],';
    expect(await readFile(users, 'utf8')).to.contain(usual);
    await writeFile(users, (await readFile(users, 'utf8')).replace(usual, QUICK_HASH));
    const child = hostCli(['serve'], { cwd: folder, env: { PORT: '0' } });
    try {
      const [, url = ''] = await child.waitForOutput(/ready at (http:\S+)/);
      const client = createClient(url);
      const [, line = ''] = await child.waitForOutput(/try:\n +(curl .*)\n/);
      const tried = await promisify(execFile)('sh', ['-c', line]);
      expect(JSON.parse(tried.stdout), line).to.have.all.keys('id', 'name', 'token');
      const ada = { name: 'Ada', email: 'ada.l@example.com', password: 'correct horse' };
      const { body: made } = await client.post('/sign-up', ada);
      expect((await client.post('/sign-up', ada)).status).to.equal(409);
      expect((await client.post('/sign-in', { ...ada, password: 'wrong' })).status).to.equal(401);
      const { body: back } = await client.post('/sign-in', ada);
      expect(back).to.include({ id: made['id'], name: 'Ada' });
      const as = (token: unknown): RequestInit => ({ headers: { authorization: `Bearer ${String(token)}` } });
      const { body: bob } = await client.post('/sign-up', { ...ada, email: 'bob@example.com' });
      const note = await client.post<Loose>('/notes/add', { text: 'water the plants' }, as(back['token']));
      expect(note.body).to.include({ text: 'water the plants', done: false });
      const path = `/notes/${String(note.body['id'])}/done`;
      expect((await client.post(path, {}, as(bob['token']))).status).to.equal(404);
      expect((await client.post(path, {}, as(made['token']))).body).to.deep.equal({ id: note.body['id'], done: true });
      expect((await client.post<Loose[]>('/notes/list', {}, as(back['token']))).body).to.have.lengthOf(1);
      expect((await client.post<Loose[]>('/notes/list', {}, as(bob['token']))).body).to.deep.equal([]);
      for (const open of ['/notes/add', '/notes/list', path])
        expect((await client.post(open, {})).status).to.equal(401);
    } finally {
      expect((await child.stop()).code).to.equal(0);
    }
  });

  it('rejects a folder with files and writes nothing into it; adds missing files with --force', async () => {
    const project = await folderWith({ 'README.md': 'mine', '.env': 'PORT=1\n' });
    const rejected = await runCli(['init', '.'], { cwd: project.folder });
    expect([rejected.code, rejected.stdout]).to.deep.equal([1, '']);
    expect(rejected.stderr).to.contain('CLI_NOT_EMPTY').and.contain('--force').and.not.contain('    at ');
    const forced = await runCli(['init', '.', '--force'], { cwd: project.folder });
    expect(forced.code).to.equal(0);
    expect(forced.stdout).to.contain('README.md (exists)').and.not.contain('  cd ');
    expect(await readFile(join(project.folder, 'README.md'), 'utf8')).to.equal('mine');
    expect(parseEnv(await readFile(join(project.folder, '.env'), 'utf8'))).to.include({ PORT: '1' });
    await access(join(project.folder, 'definitions/models/_note.model.json'));
  });

  it('never writes through a link, not even with --force', async () => {
    const outside = await folderWith();
    const project = await folderWith({ 'a.txt': '' });
    await symlink(join(outside.folder, 'package.json'), join(project.folder, 'package.json'));
    expect((await runCli(['init', '.', '--force'], { cwd: project.folder })).code).to.equal(0);
    expect((await lstat(join(project.folder, 'package.json'))).isSymbolicLink()).to.equal(true);
    expect(await access(join(outside.folder, 'package.json')).catch(() => 'nothing')).to.equal('nothing');
  });

  it('never writes into a folder that a link leads to', async () => {
    const outside = await folderWith();
    const project = await folderWith({ 'a.txt': '' });
    await symlink(outside.folder, join(project.folder, 'definitions'));
    const { code, stderr } = await runCli(['init', '.', '--force'], { cwd: project.folder });
    expect([code, stderr.includes('CLI_FILE')]).to.deep.equal([1, true]);
    expect(await readdir(outside.folder)).to.deep.equal([]);
  });

  it('reports a file in place of the folder, and a missing folder', async () => {
    const { folder: cwd } = await folderWith({ shop: 'a file' });
    const { code, stderr } = await runCli(['init', 'shop'], { cwd });
    expect([code, stderr.includes('it is not a folder'), stderr.includes('    at ')]).to.deep.equal([1, true, false]);
    expect((await runCli(['init'], { cwd })).code).to.equal(2);
  });
});

describe('lintel env', function () {
  const EXAMPLE = 'SECRET_KEY=generate:40\nPLAIN=some text # a comment\nEMPTY=\nSET=from-example\nMINE=from-example\n';
  const read = async (project: TempProject): Promise<Loose> =>
    parseEnv(await readFile(join(project.folder, '.env'), 'utf8'));

  it('adds variables that neither .env nor the environment has, and never prints a value', async () => {
    const project = await folderWith({ '.env.example': EXAMPLE, '.env': 'MINE=1' });
    const { code, stdout, stderr } = await runCli(['env'], { cwd: project.folder, env: { SET: 'x' } });
    expect([code, stderr]).to.deep.equal([0, '']);
    const values = await read(project);
    expect(values).to.have.all.keys('SECRET_KEY', 'PLAIN', 'EMPTY', 'MINE');
    expect(values).to.include({ PLAIN: 'some text', EMPTY: '', MINE: '1' });
    expect(values['SECRET_KEY']).to.match(/^[A-Za-z0-9]{40}$/);
    for (const value of [values['SECRET_KEY'], 'some text']) expect(stdout).not.to.contain(value);
    expect(stdout).to.contain('SECRET_KEY (generated)').and.contain('PLAIN (copied)').and.not.contain('MINE');
  });

  it('creates everything that the sample definitions need', async () => {
    const project = await folderWith({ '.env.example': await readFile(join(ROOT, '.env.example'), 'utf8') });
    await copySample(project.folder);
    expect((await runCli(['check'], { cwd: project.folder })).code, 'before').to.equal(1);
    await runCli(['env'], { cwd: project.folder });
    const { stdout } = await runCli(['check'], { cwd: project.folder });
    expect(stdout).to.equal('0 errors, 0 warnings, 0 hints (1 acknowledged)\n');
    expect(await read(project)).to.have.all.keys(Object.keys(SAMPLE_ENV));
  });

  it('changes nothing the second time', async () => {
    const project = await folderWith({ '.env.example': EXAMPLE });
    await runCli(['env'], { cwd: project.folder });
    const before = await readFile(join(project.folder, '.env'), 'utf8');
    const { stdout } = await runCli(['env'], { cwd: project.folder });
    expect(stdout).to.contain('nothing is missing');
    expect(await readFile(join(project.folder, '.env'), 'utf8')).to.equal(before);
  });

  it('creates a secret that .env sets to an empty text', async () => {
    const project = await folderWith({ '.env.example': 'KEY=generate:8\n', '.env': 'KEY=\n' });
    await runCli(['env'], { cwd: project.folder });
    expect((await read(project))['KEY']).to.match(/^[A-Za-z0-9]{8}$/);
  });

  it('does nothing without .env.example', async () => {
    const project = await folderWith({ 'conf/my.json': {} });
    expect((await runCli(['env'], { cwd: project.folder })).code).to.equal(0);
    expect(await access(join(project.folder, '.env')).catch(() => 'nothing')).to.equal('nothing');
  });

  it('never writes through a link, because the example may be from another author', async () => {
    for (const target of ['profile', 'nothing-there']) {
      const outside = await folderWith({ profile: 'mine\n' });
      const project = await folderWith({ '.env.example': 'A=1\n' });
      await symlink(join(outside.folder, target), join(project.folder, '.env'));
      const { code, stderr } = await runCli(['env'], { cwd: project.folder });
      expect([code, stderr.includes('links are not followed')], stderr).to.deep.equal([1, true]);
      expect(await readdir(outside.folder)).to.deep.equal(['profile']);
      expect(await readFile(join(outside.folder, 'profile'), 'utf8')).to.equal('mine\n');
    }
  });

  it('writes next to the config that --config names', async () => {
    const project = await folderWith({ 'conf/.env.example': 'A=1\n' });
    await runCli(['env', '--config', 'conf/my.json'], { cwd: project.folder });
    expect(await readFile(join(project.folder, 'conf/.env'), 'utf8')).to.contain('A=1\n');
  });

  for (const value of ['generate:', 'generate:0', 'generate:many', 'generate:9999999']) {
    it(`rejects "${value}" as a length, and writes nothing`, async () => {
      const project = await folderWith({ '.env.example': `A=1\nKEY=${value}\n` });
      const { code, stderr } = await runCli(['env'], { cwd: project.folder });
      expect([code, stderr.includes('CLI_GENERATE'), stderr.includes('"KEY"')]).to.deep.equal([1, true, true]);
      expect(await access(join(project.folder, '.env')).catch(() => 'nothing')).to.equal('nothing');
    });
  }
});
