/** `lintel check` and `audit` of a project with plugins in its folders: their code runs only with `--trust`. */
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli, type Finished } from '../support/cli.js';
import {
  PLUGIN_FIXTURES,
  defineReturnResource,
  ROOT,
  createTempProject,
  type TempProject,
} from '../support/project.js';

/** Every import of the spec leaves a mark. */
const MARKS = "import { appendFileSync } from 'node:fs';\nappendFileSync(new URL('./ran', import.meta.url), 'x');\n";
const VALID = defineReturnResource('code', '$GENERATOR.SHORTCODE');
const MISSPELT = defineReturnResource('code', '$GENERATOR.SHORTCOD');

describe('lintel check without the code of a project', () => {
  const projects: TempProject[] = [];
  after(() => Promise.all(projects.map((project) => project.dispose())));

  /** Its spec is imported again: a process loads a module once. */
  async function project(definition: object, more: object = {}): Promise<string> {
    const files = {
      'package.json': { type: 'module' },
      'lintel.config.json': { plugins: ['builtin:*', './mine'], ...more },
      'definitions/a.json': definition,
    };
    const made = await createTempProject(files);
    projects.push(made);
    const { folder } = made;
    await mkdir(join(folder, 'node_modules'));
    await symlink(ROOT, join(folder, 'node_modules/lintel'));
    await cp(join(PLUGIN_FIXTURES, 'short-code'), join(folder, 'mine'), { recursive: true });
    const spec = join(folder, 'mine/spec.js');
    const text = (await readFile(spec, 'utf8')).replace('  examples:', '  check: () => [],\n  examples:');
    await writeFile(spec, MARKS + text);
    return folder;
  }
  const run = (cwd: string, ...words: string[]): Promise<Finished> => runCli(words, { cwd });
  const marks = (cwd: string): Promise<string> => readFile(join(cwd, 'mine/ran'), 'utf8').catch(() => '');
  const codes = ({ stdout }: Finished): string[] => (JSON.parse(stdout) as { code: string }[]).map(({ code }) => code);

  it('runs no code without a manifest, reports unchecked parts, and exits with 1', async () => {
    for (const definition of [VALID, MISSPELT]) {
      const cwd = await project(definition);
      for (const word of ['check', 'audit']) {
        const { code, stderr } = await run(cwd, word);
        expect([code, await marks(cwd)], word).to.deep.equal([1, '']);
        expect(stderr).to.contain('Not checked: fields of the plugins in ./mine (it has no manifest; ');
        expect(stderr).to.contain('`lintel manifest ./mine` writes it').and.contain('`--trust`');
      }
      // No name is called unknown that the plugin could bring.
      expect(codes(await run(cwd, 'check', '--format', 'json'))).to.deep.equal(['PLG_UNREAD']);
    }
  });

  it('reads names from a manifest, and reports skipped rules in code', async () => {
    const cwd = await project(VALID);
    expect((await run(cwd, 'manifest', './mine')).code).to.equal(0);
    await rm(join(cwd, 'mine/ran'));
    const valid = await run(cwd, 'check', '--format', 'json');
    expect([valid.code, codes(valid), await marks(cwd)]).to.deep.equal([0, [], '']);
    expect(valid.stderr).to.contain('Not checked: rules in code of generator:SHORTCODE; `--trust`');
    await writeFile(join(cwd, 'definitions/a.json'), JSON.stringify(MISSPELT));
    const wrong = await run(cwd, 'check', '--format', 'json');
    expect([wrong.code, codes(wrong), await marks(cwd)]).to.deep.equal([1, ['DEF_UNKNOWN_PLUGIN'], '']);
    await writeFile(join(cwd, 'mine/plugin.manifest.json'), '{"format": 1}');
    const { code, stderr } = await run(cwd, 'check');
    expect([code, await marks(cwd)]).to.deep.equal([1, '']);
    expect(stderr).to.contain('its manifest is not sound');
  });

  it('runs code with --trust, which --fix and --database require', async () => {
    const cwd = await project(VALID);
    for (const words of [['--fix'], ['--fix-all', '--yes'], ['--database']]) {
      const { code, stderr } = await run(cwd, 'check', ...words);
      expect([code, stderr.includes('needs --trust'), await marks(cwd)], words[0]).to.deep.equal([2, true, '']);
    }
    const { code, stderr } = await run(cwd, 'check', '--trust');
    expect([code, stderr, await marks(cwd)]).to.deep.equal([0, '', 'x']);
  });

  it('requires --trust in commands that run plugins, and reads manifests in those that describe them', async () => {
    const cwd = await project(VALID);
    const running = [
      ['plan', 'code'],
      ['openapi'],
      ['jobs'],
      ['migrate', '--dry-run'],
      ['backup', 'copy'],
      ['restore', 'copy'],
    ];
    const describing = [['docs', '--out', 'pages'], ['schema']];
    for (const words of [...running, ...describing]) {
      const { code, stdout, stderr } = await run(cwd, ...words);
      expect([code, stdout, await marks(cwd)], words[0]).to.deep.equal([2, '', '']);
      expect(stderr, words[0]).to.match(/needs --trust: the config names plugins in \.\/mine/);
    }
    expect((await run(cwd, 'manifest', './mine')).code).to.equal(0);
    await rm(join(cwd, 'mine/ran'));
    for (const words of describing) {
      const { code, stderr } = await run(cwd, ...words);
      expect([code, stderr, await marks(cwd)], words[0]).to.deep.equal([0, '', '']);
    }
    expect(await readFile(join(cwd, 'pages/kinds/generator.md'), 'utf8')).to.contain('SHORTCODE');
    for (const words of running) expect((await run(cwd, ...words)).code, words[0]).to.equal(2);
    expect(await marks(cwd)).to.equal('');
    const trusted = await project(VALID);
    const { code, stdout } = await run(trusted, 'plan', 'code', '--trust');
    expect([code, await marks(trusted)], stdout).to.deep.equal([0, 'x']);
  });

  it('runs the folder given to `manifest`, and no other of the config', async () => {
    const cwd = await project(VALID, { plugins: ['builtin:*', './mine', './other'] });
    await cp(join(PLUGIN_FIXTURES, 'short-code'), join(cwd, 'other'), { recursive: true });
    const spec = join(cwd, 'other/spec.js');
    const text = (await readFile(spec, 'utf8'))
      .replaceAll('SHORTCODE', 'OTHERCODE')
      .replaceAll("SHORTCOD'", "OTHERCOD'");
    await writeFile(spec, text);
    for (let time = 0; time < 2; time++) {
      const { code, stderr } = await run(cwd, 'manifest', './other');
      expect([code, await marks(cwd)], stderr).to.deep.equal([0, '']);
      expect(stderr).to.contain('Not read: ./mine').and.not.contain('./other');
    }
  });

  it('does not read a folder that is linked from outside the project', async () => {
    const elsewhere = await project(VALID);
    expect((await run(elsewhere, 'manifest', './mine')).code).to.equal(0);
    const cwd = await project(VALID);
    await rm(join(cwd, 'mine'), { recursive: true });
    await symlink(join(elsewhere, 'mine'), join(cwd, 'mine'));
    const { code, stderr } = await run(cwd, 'check');
    expect(code).to.equal(1);
    expect(stderr).to.contain('it is outside the project');
  });

  it('prints nothing without project plugins', async () => {
    const made = await createTempProject({ 'definitions/a.json': defineReturnResource('a', 1) });
    projects.push(made);
    const { code, stderr } = await run(made.folder, 'check');
    expect([code, stderr]).to.deep.equal([0, '']);
  });
});
