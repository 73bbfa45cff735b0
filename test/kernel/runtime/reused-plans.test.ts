/**
 * A reload compiles only the plans whose inputs have changed. They equal those of a new start, whatever was edited in
 * between: the sample is edited step by step, and both are compared after each step.
 */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ResourcePlan } from '../../../contract/resource-plan.js';
import { createKernel, type Kernel } from '../../../kernel/runtime/kernel.js';
import type { SourceFile } from '../../../language/analysis/analyse.js';
import { findDefinitions } from '../../../language/project/definition-files.js';
import type { Project } from '../../../language/project/project.js';
import { loadProject } from '../../../plugins/distribution.js';
import { createTempProject, defineReturnResource, PLUGIN_FIXTURES, ROOT, SAMPLE_ENV } from '../../support/project.js';
import { createSeededRandom, editAt, editField } from '../../support/random-edits.js';
import { countRuns, runSeed } from '../../support/sample.js';

const doNothing = (): void => {};
const log = { debug: doNothing, info: doNothing, warn: doNothing, error: doNothing };
const STEPS = countRuns('edits', 9, 5);

/** Without closures; the description has the positions and what the fixture plugin was told. */
function toData({ groups, parts, ...plan }: ResourcePlan): unknown {
  const actions = groups.map((group) => group.actions);
  const keys = [...parts].map(([key, part]) => [key, part.steps.length, part.deferral]);
  const maps = { names: [...plan.names], plugins: [...plan.plugins] };
  return JSON.parse(JSON.stringify({ ...plan, ...maps, actions, keys }));
}

const toPlans = (kernel: Kernel): ReadonlyMap<string, unknown> =>
  new Map([...kernel.plans().byId].map(([id, plan]) => [id, toData(plan)]));

describe('plans of a reload', () => {
  const files = new Map<string, string>();
  let sample: readonly SourceFile[];
  let project: Project;
  let kernel: Kernel;
  let folder: Awaited<ReturnType<typeof createTempProject>>;

  const open = (rest: Partial<Project> = {}): Promise<Kernel> =>
    createKernel({ project: { ...project, overlay: files, ...rest }, log, onProblem: 'skip', connect: false });

  before(async () => {
    const definitions = join(ROOT, 'definitions');
    const names = await findDefinitions({ folder: definitions, configFile: '', patterns: ['**/*.json'] });
    sample = names.map((name) => ({ file: relative(definitions, name), text: readFileSync(name, 'utf8') }));
    const plugins = ['builtin:*', join(PLUGIN_FIXTURES, 'facts')];
    folder = await createTempProject({ 'lintel.config.json': { plugins } });
    project = await loadProject(folder.folder, undefined, SAMPLE_ENV, true);
  });
  beforeEach(async () => {
    files.clear();
    for (const { file, text } of sample) files.set(file, text);
    kernel = await open();
  });
  afterEach(() => kernel.close('test over'));
  after(() => folder.dispose());

  it('equal those of a start, whatever was edited', async () => {
    expect(kernel.plans().byId.size).to.be.greaterThan(20);
    const random = createSeededRandom(`plans ${runSeed}`);
    let set = sample;
    let reused = 0;
    for (let step = 0; step < STEPS; step++) {
      const model = random.pick(set.filter(({ file }) => file.includes('_')));
      set = random.chance(0.4)
        ? set.map((one) => (one === model ? { ...one, text: editField(one.text, random, []) } : one))
        : editAt(set, sample, [], random);
      files.clear();
      for (const { file, text } of set) files.set(file, text);
      const before = new Set(kernel.plans().byId.values());
      await kernel.reload();
      const fresh = await open({ analyser: null });
      const [plans, expected] = [toPlans(kernel), toPlans(fresh)];
      await fresh.close('compared');
      for (const [id, plan] of expected) expect(plans.get(id), `${id} at step ${step}`).to.deep.equal(plan);
      expect(kernel.plans().hash).to.equal(fresh.plans().hash);
      reused += [...kernel.plans().byId.values()].filter((plan) => before.has(plan)).length;
    }
    expect(reused).to.be.greaterThan(0);
  });

  it('are the same objects for resources that an edit does not reach', async () => {
    const readPlans = (...ids: string[]) => ids.map((id) => kernel.plans().byId.get(id));
    const link = { resource_id: 'a', action_ids: [1], extract_response_for: [{ extract: 'self_', for: 'x' }] };
    files.clear();
    files.set('a.json', JSON.stringify(defineReturnResource('a', 1)));
    files.set('b.json', JSON.stringify(defineReturnResource('b', '$PAYLOAD.x', {}, { depends_on: [link] })));
    files.set('c.json', JSON.stringify(defineReturnResource('c', 1)));
    await kernel.reload();
    const [a, b, c] = readPlans('a', 'b', 'c');
    files.set('a.json', JSON.stringify(defineReturnResource('a', 2)));
    files.set('c.json', `\n\n${files.get('c.json') ?? ''}`);
    await kernel.reload();
    const [newA, newB, newC] = readPlans('a', 'b', 'c');
    expect([newA === a, newB === b, newC === c]).to.deep.equal([false, false, true]);
    expect(c?.summary.describe).to.have.nested.property('run[0].actions[0].line', 3);
    await kernel.observePlans({ observeAction: (action) => action, observeResource: (plan) => plan });
    expect(readPlans('c')).not.to.include(c);
  });
});
