/** `lintel schema`, `docs` and `manifest`: what they write, where, and when they reject. */
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Ajv from 'ajv';
import { expect } from 'chai';
import { readManifest } from '../../language/export/manifest-read.js';
import { spawnCli } from '../support/child.js';
import { runCli, type Finished } from '../support/cli.js';
import { PLUGIN_FIXTURES, ROOT, createTempProject, type Files, type TempProject } from '../support/project.js';

describe('lintel: commands that write files from the specs', function () {
  const projects: TempProject[] = [];
  after(() => Promise.all(projects.map((project) => project.dispose())));
  async function folderWith(files: Files = {}): Promise<TempProject> {
    const project = await createTempProject(files);
    projects.push(project);
    return project;
  }
  const own = { 'lintel.config.json': { plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'short-code')] } };

  describe('schema', () => {
    it('prints one schema for everything, with the plugins of the project', async () => {
      const project = await folderWith(own);
      const { code, stdout, stderr } = await runCli(['schema', '--trust'], { cwd: project.folder });
      expect([code, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.contain('SHORTCODE');
      const validate = new Ajv({ schemaId: 'auto' }).compile(JSON.parse(stdout) as object);
      const health = {
        id: 'h',
        resource: 'h',
        actionables: [{ id: 1, mode: 'RETURN', value: '$GENERATOR.SHORTCODE' }],
      };
      expect(validate(health)).to.equal(true);
      expect(validate({ ...health, returnabels: [] })).to.equal(false);
      expect(validate({ http: { port: 0 } })).to.equal(true);
      expect(validate({ http: { prot: 0 } })).to.equal(false);
    });

    it('writes with --out a file, or one file for each kind into a folder', async () => {
      const { folder: cwd } = await folderWith();
      expect((await runCli(['schema', '--for', 'model', '--out', 'a/model.json'], { cwd })).stdout).to.equal(
        'wrote a/model.json\n',
      );
      expect(JSON.parse(await readFile(join(cwd, 'a/model.json'), 'utf8'))).to.include({
        title: 'Lintel database model',
      });
      await runCli(['schema', '--out', 'b'], { cwd });
      expect((await readdir(join(cwd, 'b'))).sort()).to.deep.equal(
        ['config', 'definition', 'model', 'test'].map((name) => `lintel.${name}.schema.json`),
      );
    });

    it('works with an invalid config, and lists the targets', async () => {
      const { folder: cwd } = await folderWith({ 'lintel.config.json': '{ "htpp": 1 }' });
      expect((await runCli(['schema'], { cwd })).code).to.equal(0);
      const { code, stderr } = await runCli(['schema', '--for', 'modle'], { cwd });
      expect(code).to.equal(2);
      expect(stderr).to.contain('definition, model, test, config, all').and.contain('Did you mean "model"?');
    });

    it('is written by init next to the settings that name it', async () => {
      const { folder: cwd } = await folderWith();
      await runCli(['init', 'x'], { cwd });
      const settings = JSON.parse(await readFile(join(cwd, 'x/.vscode/settings.json'), 'utf8')) as {
        'json.schemas': { url: string }[];
      };
      await runCli(['schema', '--out', 'x/again'], { cwd });
      expect(settings['json.schemas']).to.have.lengthOf(4);
      for (const { url } of settings['json.schemas']) {
        const text = await readFile(join(cwd, 'x', url), 'utf8');
        expect(await readFile(join(cwd, 'x', url.replace('.vscode', 'again')), 'utf8')).to.equal(text);
      }
    });
  });

  describe('docs', () => {
    // Each run of the command takes a second, so both tests use one folder.
    let cwd = '';
    before(async () => void (cwd = (await folderWith(own)).folder));

    it('writes pages, including plugins of the project, and finds them up to date', async () => {
      const { code, stdout } = await runCli(['docs', '--trust'], { cwd });
      expect([code, stdout.includes('wrote docs/reference/kinds/generator.md')]).to.deep.equal([0, true]);
      const page = await readFile(join(cwd, 'docs/reference/kinds/generator.md'), 'utf8');
      expect(page).to.contain('## `SHORTCODE`').and.contain('Eight random digits');
      const current = await runCli(['docs', '--check', '--trust'], { cwd });
      expect([current.code, current.stdout.endsWith(' pages, all up to date\n')]).to.deep.equal([0, true]);
    });

    it('names outdated pages with --check; writes only these, removes obsolete ones, and leaves pages of authors', async () => {
      await cp(join(cwd, 'docs/reference'), join(cwd, 'ref'), { recursive: true });
      const made = await readFile(join(cwd, 'ref/index.md'), 'utf8');
      await writeFile(join(cwd, 'ref/old.md'), made);
      await writeFile(join(cwd, 'ref/mine.md'), '# Mine\n');
      await writeFile(join(cwd, 'ref/config.md'), 'edited');
      const { code, stderr } = await runCli(['docs', '--out', 'ref', '--check', '--trust'], { cwd });
      expect(code).to.equal(1);
      expect(stderr).to.contain('CLI_STALE').and.contain('config.md').and.contain('old.md').and.not.contain('mine.md');
      const { stdout } = await runCli(['docs', '--out', 'ref', '--trust'], { cwd });
      expect(stdout).to.match(/^wrote ref\/config\.md\nremoved ref\/old\.md\nref: \d+ pages, 2 changed\n$/);
      expect(await readdir(join(cwd, 'ref')))
        .to.include('mine.md')
        .and.not.include('old.md');
    });
  });

  describe('manifest', () => {
    async function plugins(name: string): Promise<string> {
      const { folder } = await folderWith({ 'package.json': { type: 'module' } });
      await mkdir(join(folder, 'node_modules'));
      await symlink(ROOT, join(folder, 'node_modules/lintel'));
      await cp(join(PLUGIN_FIXTURES, name), join(folder, 'plugins'), { recursive: true });
      return folder;
    }
    const manifest = (cwd: string, ...words: string[]): Promise<Finished> =>
      runCli(['manifest', 'plugins', ...words], { cwd });

    it('writes kinds and plugins as data, with the path of the runtime', async () => {
      const cwd = await plugins('limits');
      const { code, stdout, stderr } = await manifest(cwd);
      expect([code, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.contain('wrote plugins/plugin.manifest.json: kind limiter, ');
      const read = readManifest(await readFile(join(cwd, 'plugins/plugin.manifest.json'), 'utf8'));
      expect(read.kinds.map(({ kind }) => kind)).to.deep.equal(['limiter']);
      expect(read.plugins.map(({ runtime }) => runtime)).to.have.members(
        ['fixed-window', 'quota', 'token-bucket'].map((name) => `${name}/runtime.js`),
      );
      for (const { runtime } of read.plugins) await readFile(join(cwd, 'plugins', runtime ?? ''), 'utf8');
    });

    it('writes into the folder that the config lists', async () => {
      const cwd = await plugins('limits');
      await writeFile(join(cwd, 'lintel.config.json'), '{ "plugins": ["builtin:*", "./plugins"] }');
      const { code, stdout } = await runCli(['manifest', 'plugins/quota'], { cwd });
      expect([code, stdout]).to.deep.equal([0, stdout]);
      expect(stdout).to.contain('wrote plugins/plugin.manifest.json: kind limiter, ');
      expect(await readdir(join(cwd, 'plugins/quota'))).not.to.include('plugin.manifest.json');
    });

    it('passes with --check while nothing changed, fails after it, and writes nothing', async () => {
      const cwd = await plugins('short-code');
      const missing = await manifest(cwd, '--check');
      expect([missing.code, missing.stderr.includes('CLI_STALE')]).to.deep.equal([1, true]);
      expect(await readdir(join(cwd, 'plugins'))).not.to.include('plugin.manifest.json');
      expect((await manifest(cwd)).code).to.equal(0);
      expect((await manifest(cwd, '--check')).code).to.equal(0);
      const spec = join(cwd, 'plugins/spec.js');
      await writeFile(spec, (await readFile(spec, 'utf8')).replace('Eight random', 'Some random'));
      // A process reads a module once.
      expect((await spawnCli(['manifest', 'plugins', '--check'], { cwd })).code).to.equal(1);
    });

    it('rejects an invalid spec, reports each problem, and writes no file', async () => {
      const cwd = await plugins('short-code');
      const spec = join(cwd, 'plugins/spec.js');
      const text = await readFile(spec, 'utf8');
      await writeFile(spec, text.replace("json: '$GENERATOR.SHORTCOD'", "json: '$GENERATOR.SHORTCODE'"));
      const { code, stderr } = await manifest(cwd);
      expect(code).to.equal(1);
      expect(stderr).to.contain('generator:SHORTCODE').and.contain('it passes').and.contain('CLI_FLAWS');
      expect(await readdir(join(cwd, 'plugins'))).not.to.include('plugin.manifest.json');
    });

    it('does not report a folder that the config lists already, or one around it, as a duplicate', async () => {
      const cwd = await plugins('short-code');
      for (const listed of ['./plugins', '.']) {
        await writeFile(join(cwd, 'lintel.config.json'), JSON.stringify({ plugins: ['builtin:*', listed] }));
        expect((await manifest(cwd)).stderr, listed).to.equal('');
      }
    });

    it('reports a folder without plugins, a missing folder, and a missing argument', async () => {
      const { folder: cwd } = await folderWith({ 'empty/a.txt': '' });
      for (const name of ['empty', 'nowhere']) {
        const { code, stderr } = await runCli(['manifest', name], { cwd });
        expect([code, stderr.includes('PLG_NOT_FOUND'), stderr.includes('    at ')]).to.deep.equal([1, true, false]);
      }
      expect((await runCli(['manifest'], { cwd })).code).to.equal(2);
    });
  });

  describe('help', () => {
    it('has a text for each command, with examples and exit codes, under three names', async () => {
      const { folder: cwd } = await folderWith();
      const overview = (await runCli(['help'], { cwd })).stdout;
      for (const name of 'init env serve dev check migrate plan schema docs manifest'.split(' ')) {
        expect(overview).to.contain(`lintel ${name}`);
        const { code, stdout } = await runCli(['help', name], { cwd });
        expect(code, name).to.equal(0);
        expect(stdout)
          .to.contain('Examples')
          .and.contain('Exit codes')
          .and.match(new RegExp(`^lintel ${name}`));
      }
      const { stdout } = await runCli(['help', 'migrate'], { cwd });
      expect((await runCli(['migrate', '--help'], { cwd })).stdout).to.equal(stdout);
      expect(stdout).to.contain('--dry-run').and.contain('--check');
    });

    it('rejects an option of another command and a superfluous argument', async () => {
      const { folder: cwd } = await folderWith();
      const option = await runCli(['check', '--sql'], { cwd });
      expect([option.code, option.stderr.includes('has no option --sql')]).to.deep.equal([2, true]);
      const wordy = await runCli(['check', 'everything'], { cwd });
      expect([wordy.code, wordy.stderr.includes('Unexpected argument "everything"')]).to.deep.equal([2, true]);
      const typo = await runCli(['migrate', '--dry-rnu'], { cwd });
      expect([typo.code, typo.stderr]).to.deep.equal([2, 'There is no option --dry-rnu. Did you mean --dry-run?\n']);
      expect((await runCli(['help', 'chekc'], { cwd })).stderr).to.contain('Did you mean "check"?');
    });
  });
});
