/** The tests that the distribution ships: those of the sample, of a new project, and of the page about testing. */
import { expect } from 'chai';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCli } from '../support/cli.js';
import { listBlocks } from '../support/docs-page.js';
import { isDeepRun } from '../support/sample.js';
import { copySample, createTempProject, ROOT, type TempProject } from '../support/project.js';

const TEMPLATE = join(ROOT, 'templates/project');

describe('lintel test of shipped projects', () => {
  const projects: TempProject[] = [];
  after(() => Promise.all(projects.map((project) => project.dispose())));
  async function expectPass(prepare: (project: TempProject) => Promise<unknown>, atLeast: number): Promise<void> {
    const project = await createTempProject();
    projects.push(project);
    await prepare(project);
    const { code, stdout, stderr } = await runCli(['test', '--reporter', 'json'], { cwd: project.folder });
    expect(stderr).to.equal('');
    const { passed, cases } = JSON.parse(stdout) as { passed: number; cases: { failures: object[] }[] };
    expect(cases.flatMap(({ failures }) => failures)).to.deep.equal([]);
    expect([code, passed >= atLeast]).to.deep.equal([0, true]);
  }

  async function copyAll({ folder }: TempProject): Promise<void> {
    await copySample(folder);
    for (const file of ['lintel.config.json', '.env.example']) await cp(join(ROOT, file), join(folder, file));
  }

  it('passes those of the sample', () => expectPass(copyAll, 75));

  async function copyTemplate(project: TempProject): Promise<void> {
    for (const file of ['definitions', 'lintel.config.json'])
      await cp(join(TEMPLATE, file), join(project.folder, file), { recursive: true });
    await project.write('.env.example', await readFile(join(TEMPLATE, 'dot-env.example'), 'utf8'));
  }

  it('passes those of a new project', () => expectPass(copyTemplate, 9));

  // The passwords of its cases are hashed for each change.
  if (isDeepRun)
    it('notices each change of a new project', async function () {
      this.timeout(300_000);
      const project = await createTempProject();
      projects.push(project);
      await copyTemplate(project);
      const { code, stdout } = await runCli(['test', '--mutants'], { cwd: project.folder });
      expect(code).to.equal(0);
      expect(stdout).to.match(/\n(\d+) of \1 changes noticed, 0 not; /);
    });

  it('passes those of the page', () =>
    expectPass(async (project) => {
      for (const { text } of listBlocks('how-to/testing.md')) {
        const [, name] = /^\/\/ (\S+)\n/.exec(text) ?? [];
        if (name !== undefined) await project.write(name, text);
      }
    }, 2));
});
