/** The tests that the distribution ships: those of the sample, of a new project, and of the page about testing. */
import { expect } from 'chai';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCli } from '../support/cli.js';
import { listBlocks } from '../support/docs-page.js';
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

  it('passes those of the sample', () =>
    expectPass(async ({ folder }) => {
      await copySample(folder);
      for (const file of ['lintel.config.json', '.env.example']) await cp(join(ROOT, file), join(folder, file));
    }, 7));

  it('passes those of a new project', () =>
    expectPass(async (project) => {
      for (const file of ['definitions', 'lintel.config.json'])
        await cp(join(TEMPLATE, file), join(project.folder, file), { recursive: true });
      await project.write('.env.example', await readFile(join(TEMPLATE, 'dot-env.example'), 'utf8'));
    }, 6));

  it('passes those of the page', () =>
    expectPass(async (project) => {
      for (const { text } of listBlocks('how-to/testing.md')) {
        const [, name] = /^\/\/ (\S+)\n/.exec(text) ?? [];
        if (name !== undefined) await project.write(name, text);
      }
    }, 2));
});
