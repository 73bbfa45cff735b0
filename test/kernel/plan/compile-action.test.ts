/**
 * Flags and steps that features and modes contribute to an actionable and its resource, and the plan of deferred work.
 */
import { expect } from 'chai';
import type { ActionModel } from '../../../language/analysis/model.js';
import { compileAction, planFeatures } from '../../../kernel/plan/action.js';
import type { CompileInput } from '../../../kernel/plan/tools.js';
import { Draft } from '../../../language/analysis/draft.js';
import { createAcceptPlan, compilePart, draftPart, listSchedules, type PartDraft } from '../../../kernel/plan/parts.js';
import { BootError } from '../../../contract/boot-error.js';
import type { Deferral } from '../../../contract/deferred.js';
import type { SharedUnit, Step } from '../../../contract/plan.js';
import { Slot } from '../../../contract/slot.js';
import { createDocument } from '../../../language/source/document.js';
import { createActionModel, createResourceModel, createTestScope } from '../../support/scopes.js';

type Planned = Readonly<Record<string, unknown>>;
const step = (id: string, phase: number, rest: Partial<Step> = {}): Step => ({
  id,
  phase,
  run: () => undefined,
  ...rest,
});

/** One actionable with a feature and a mode of these facts, and its surroundings. */
function prepare(feature: Planned, mode: Planned = {}, rest: Partial<ActionModel> = {}) {
  const node = { start: 0, end: 9, pointer: '/actionables/0' };
  const place = (plugin: string, slot: string, at: object = node) => ({
    plugin,
    slot,
    node: at,
    value: {},
    holder: {},
  });
  const places = [place('feature:plain', Slot.ACTIONABLE), place('mode:TEST', Slot.MODE)];
  // Usages in another object or slot must be ignored.
  const strange = [place('feature:strange', Slot.ACTIONABLE, {}), place('feature:strange', 'other.slot')];
  const action = createActionModel(1, { mode: 'TEST', node, places: [...strange, ...places], ...rest } as never);
  const planned: Readonly<Record<string, Planned>> = {
    'feature:plain': { steps: [], ...feature },
    'mode:TEST': { execute: () => 'done', describe: null, ...mode },
  };
  const handles = { handle: (id: string) => ({ plan: () => planned[id] }), resolve: () => undefined as never };
  const scope = createTestScope({ sequence: [action], handles });
  return { scope, action };
}
function compile(feature: Planned, mode: Planned = {}, rest: Partial<ActionModel> = {}, sealed = false) {
  const { scope, action } = prepare(feature, mode, rest);
  const draft = new Draft();
  return { draft, ...compileAction(scope, action, 0, draft, sealed) };
}
const FLAGS = ['alone', 'apart', 'presumes', 'answers', 'requestOnly', 'takesList', 'needsList'] as const;
const listFlags = (draft: Draft) => FLAGS.filter((flag) => draft[flag]);

describe('facts of plugins for an actionable', () => {
  const cases: readonly (readonly [string, Planned, Planned, readonly string[]])[] = [
    ['nothing', {}, {}, []],
    ['alone', { alone: true }, {}, ['alone']],
    ['presumes', { presumes: true }, {}, ['presumes']],
    ['requestOnly', { requestOnly: true }, {}, ['requestOnly']],
    ['takesList', {}, { takesList: true }, ['takesList']],
    ['needsList', {}, { needsList: true }, ['needsList']],
  ];
  for (const [title, feature, mode, expected] of cases)
    it(`set the flags of the resource: ${title}`, () => {
      expect(listFlags(compile(feature, mode).draft)).to.deep.equal(expected);
    });

  it('set flags of the actionable alone: isolated, always in a transaction, parallel', () => {
    const pickFlags = ({ plan: { apart, always, parallel } }: ReturnType<typeof compile>) => ({
      apart,
      always,
      parallel,
    });
    expect(pickFlags(compile({}))).to.deep.equal({ apart: false, always: false, parallel: false });
    expect(pickFlags(compile({ apart: true }))).to.deep.equal({ apart: true, always: false, parallel: false });
    expect(pickFlags(compile({}, { always: true }))).to.deep.equal({ apart: false, always: true, parallel: false });
    expect(pickFlags(compile({}, {}, { parallel: true }))).to.deep.equal({
      apart: false,
      always: false,
      parallel: true,
    });
    expect(listFlags(compile({ apart: true }).draft)).to.deep.equal([]);
  });

  it('contain its rules, its guard and a sample', () => {
    const { draft } = compile({ validates: ['a', 'b'], guard: 'JWT', sample: { a: 1 } });
    expect(draft).to.deep.include({ validates: ['a', 'b'], guards: ['JWT'], sample: { a: 1 }, identities: [] });
    expect(compile({}).draft.guards).to.deep.equal([]);
  });

  it('contain steps before and after the work, and steps of the whole resource', () => {
    const steps = [100, 399, 400, 599, 600, 1099, 1100, 1600].map((phase) => step(String(phase), phase));
    const { plan, draft } = compile({ steps });
    const ids = (some: readonly Step[] | null) => some?.map(({ id }) => id).join(' ');
    expect([ids(plan.before), ids(plan.after), ids(plan.shape), ids(draft.steps)]).to.deep.equal([
      ...['100 399', '400 599 600 1099', '600 1099', '1100 1600'],
    ]);
  });

  it('seal the payload before the work, or on acceptance if the work is deferred', () => {
    const steps = [step('seal', 200, { seals: true }), step('bind', 300)];
    const ids = (sealed: boolean) => compile({ steps }, {}, {}, sealed).plan.before?.map(({ id }) => id);
    expect([ids(false), ids(true)]).to.deep.equal([['seal', 'bind'], ['bind']]);
    expect(compile({ steps }).seal.map(({ id }) => id)).to.deep.equal(['seal']);
  });

  it('contain the limiter of a step of the actionable, not of a step of the resource', () => {
    const turns = { sort: 1 } as never;
    const of = (phase: number): unknown =>
      compile({ steps: [step('none', 100), step('waits', phase, { turns })] }).plan.turns;
    expect([of(300), of(1099), of(1100)]).to.deep.equal([turns, turns, null]);
  });

  it('use the largest number and size of files that any plugin allows', () => {
    const files = (known: Draft['files'], more?: Draft['files']) => {
      const { scope, action } = prepare({}, more ? { files: more } : {});
      const draft: Draft = { ...new Draft(), files: known };
      compileAction(scope, action, 0, draft);
      return draft.files;
    };
    expect(files(null)).to.equal(null);
    expect(files({ count: 1, bytes: 9 })).to.deep.equal({ count: 1, bytes: 9 });
    expect(files(null, { count: 1, bytes: 9 })).to.deep.equal({ count: 1, bytes: 9 });
    expect(files({ count: 1, bytes: 9 }, { count: 2, bytes: 5 })).to.deep.equal({ count: 2, bytes: 9 });
    expect(files({ count: 3, bytes: 4 }, { count: 2, bytes: 5 })).to.deep.equal({ count: 3, bytes: 5 });
  });

  it('contain the tables of its models, or the name that the mode declares', () => {
    const touches = (models: readonly string[], facts?: object) => {
      const { scope, action } = prepare({}, {}, { models });
      const registry = { ...scope.registry, plugins: new Map([['mode:TEST', { facts }]]) } as never;
      const draft = new Draft();
      const tables = new Map([['_user', { table: 'people' }]]) as never;
      compileAction({ ...scope, registry, tables }, action, 0, draft);
      return [...draft.touches];
    };
    expect(touches(['_user', '_other'])).to.deep.equal(['people', '_other']);
    expect(touches([], { touches: 'files' })).to.deep.equal(['files']);
    expect(touches([])).to.deep.equal(['']);
  });

  it('serialize results to text only if no plugin observes results of the mode', () => {
    const renders = () => null;
    const of = (watched?: CompileInput['watched']) => {
      const { scope, action } = prepare({}, { renders });
      return compileAction({ ...scope, ...(watched && { watched }) }, action, 0, new Draft()).renders;
    };
    expect([of(), of(() => true), of(() => false)]).to.deep.equal([undefined, undefined, renders]);
    expect(of((mode) => mode !== 'TEST')).to.equal(renders);
  });

  it('contain the location of the definition if the mode rejects it', () => {
    const { scope, action } = prepare({});
    const compileWithError = (error: Error, statements: readonly object[] = []) => {
      const handle = (id: string) => ({
        plan: () => {
          if (id === 'mode:TEST') throw error;
          return { steps: [] };
        },
      });
      const definition = {
        doc: createDocument('notes.json', 'a\nb c\nd'),
        finds: { statements, documents: [], accessors: [] },
      };
      const placed = { ...action, definition } as unknown as ActionModel;
      try {
        compileAction({ ...scope, handles: { ...scope.handles, handle } }, placed, 0, new Draft());
      } catch (thrown) {
        return [thrown, (thrown as BootError).place];
      }
      return expect.fail('it was not refused');
    };
    const rejected = new BootError('PLG_HANDLE', {});
    const known = Object.assign(new BootError('PLG_HANDLE', {}), { place: 'known' });
    const plain = new Error('an accident');
    const outside = { node: { start: 5, end: 99 } };
    expect(compileWithError(rejected, [outside, { node: { start: 4, end: 5 } }])).to.deep.equal([
      rejected,
      'notes.json:2:3',
    ]);
    expect(compileWithError(new BootError('PLG_HANDLE', {}), [outside])[1]).to.equal('notes.json:1:1');
    expect(compileWithError(known)).to.deep.equal([known, 'known']);
    expect(compileWithError(plain)).to.deep.equal([plain, undefined]);
    expect(() => compileAction(scope, { ...action, places: [] }, 0, new Draft()))
      .to.throw(BootError)
      .that.has.property('code', 'DEF_UNKNOWN_PLUGIN');
  });
});

describe('facts of features for a resource', () => {
  const planAction = (said: Planned, facts: object = {}, realm = { realm: 'own', reached: true }) => {
    const node = {};
    const places = [{ plugin: 'feature:plain', slot: Slot.RESOURCE, node, value: {}, holder: {} }];
    const scope = createTestScope({ resource: createResourceModel({ definition: { node } as never }) });
    const spec = { facts, getCallerKey: () => 'by it', getRealm: () => realm };
    const registry = { plugins: new Map([['feature:plain', spec]]), plugin: () => undefined };
    const handles = { ...scope.handles, handle: () => ({ plan: () => ({ steps: [], ...said }) }) };
    const draft = new Draft();
    planFeatures({ ...scope, handles, registry: registry as never }, null, places as never, draft);
    return draft;
  };

  it('set each flag independently', () => {
    for (const flag of ['alone', 'apart', 'presumes', 'answers', 'requestOnly'])
      expect(listFlags(planAction({ [flag]: true }))).to.deep.equal([flag]);
    expect(listFlags(planAction({}))).to.deep.equal([]);
  });

  it('contain the identity of its callers, if the feature identifies them', () => {
    const identity = { header: 'authorization' };
    expect(planAction({ identity }).identities).to.deep.equal([]);
    const listRealms = (realm: string, reached = true) =>
      planAction({}, { identifies: true }, { realm, reached }).identities.map((one) => one.realm);
    const realm = listRealms('own')[0] ?? null;
    expect(planAction({ identity }, { identifies: true }).identities).to.deep.equal([
      { key: '["feature:plain","by it","authorization"]', realm, identity },
    ]);
    expect(planAction({}, { identifies: true }).identities).to.deep.equal([
      { key: '["feature:plain","by it",null]', realm, identity: null },
    ]);
    // A hash, because it is sent between processes. Callers that no message can reach have none.
    expect(realm).to.match(/^[\w-]{16}$/);
    expect(listRealms('other')).not.to.deep.equal([realm]);
    expect(listRealms('own', false)).to.deep.equal([null]);
  });
});

describe('deferred work', () => {
  const put: Deferral['enqueue'] = () => Promise.resolve();
  const shared = { key: 'shared' } as unknown as SharedUnit;
  const timing = (own: boolean) => ({ scheduled: false, later: true, own });
  const part = (rest: object = {}) => {
    const { scope, action } = prepare({}, {}, { timing: timing(false) });
    return { scope, part: { key: 'notes#1', actions: [action], later: true, scheduled: false, ...rest } };
  };
  const createDeferral = (
    above: Deferral[],
    own: Deferral[],
    unit: SharedUnit | null = null,
    actions?: readonly ActionModel[],
  ) => {
    const made = part(actions ? { actions } : {});
    const drafted = {
      part: made.part,
      compiled: own.map((one) => ({ deferrals: [one], plan: {} })),
    } as unknown as PartDraft;
    return compilePart(made.scope, drafted, { ...new Draft(), deferrals: above }, [], unit).deferral;
  };

  it('uses the options of its actionables, then of its resource, then the defaults', () => {
    expect(createDeferral([{ enqueue: put }], [])).to.deep.equal({ delay: 0, priority: 0, retries: 4, enqueue: put });
    expect(
      createDeferral([{ enqueue: put, delay: 5, retries: 0 }], [{ enqueue: put, delay: 7, priority: 2 }]),
    ).to.deep.equal({
      ...{ delay: 7, priority: 2, retries: 0, enqueue: put },
    });
    const [one] = [createActionModel(1, { timing: timing(true) })];
    expect(createDeferral([{ enqueue: put, delay: 5 }], [{ enqueue: put }], null, [one])?.delay).to.equal(0);
    const other = createActionModel(1, { resource: 'others', timing: timing(false) });
    expect(createDeferral([{ enqueue: put, delay: 5 }], [{ enqueue: put }], null, [other])?.delay).to.equal(0);
    expect(() => createDeferral([], [])).to.throw(BootError);
  });

  it('is enqueued inside the transaction of the last group if its queue supports that', () => {
    const inside: Deferral['enqueue'] = () => Promise.resolve();
    const both: Deferral = { enqueue: put, enqueueWithin: (unit) => ({ enqueue: unit === shared ? inside : put }) };
    const made = [
      createDeferral([both], []),
      createDeferral([both], [], shared),
      createDeferral([{ enqueue: put }], [], shared),
    ];
    expect(made.map((one) => one?.enqueue)).to.deep.equal([put, inside, put]);
  });

  it('is accepted with the steps that seal it, and is the whole response if nothing else runs', () => {
    const seal = step('seal', 200, { seals: true });
    const drafted = (scheduled: boolean, seals: Step[]) =>
      ({
        part: { key: scheduled ? 'clock' : 'notes#1', scheduled },
        compiled: [{ seal: seals }],
      }) as unknown as PartDraft;
    const parts = [{ key: 'notes#1' }, { key: 'clock' }] as never;
    const accept = () => Promise.resolve();
    const scope = createTestScope({ runner: () => ({ accept }) as never });
    expect(createAcceptPlan(scope, 0, parts, [drafted(true, [seal])])).to.equal(null);
    expect(createAcceptPlan(scope, 0, parts, [drafted(false, []), drafted(true, [seal])])).to.deep.equal({
      ...{ seal: null, parts: [{ key: 'notes#1' }], whole: false, accept },
    });
    expect(createAcceptPlan(scope, -1, parts, [drafted(false, [seal])])).to.deep.include({ seal: [seal], whole: true });
  });

  it('is started by the scheduler if its last actionable has a schedule', () => {
    const schedule = { expression: '0 0 * * * *', zone: null };
    const of = (scheduled: boolean, ...schedules: (typeof schedule | null)[]) =>
      listSchedules(createResourceModel(), {
        part: { key: 'notes#1', scheduled },
        compiled: schedules.map((one) => ({ schedule: one })),
      } as unknown as PartDraft);
    expect(of(true, null, schedule)).to.deep.equal([{ key: 'notes#1', resource: 'notes', ...schedule }]);
    expect([of(true, schedule, null), of(true), of(false, schedule)]).to.deep.equal([[], [], []]);
  });

  it('adds its rules and guards to the accepting request, but none for a schedule', () => {
    const compileScheduled = (scheduled: boolean) => {
      const { scope, action } = prepare({ guard: 'JWT', steps: [step('seal', 200, { seals: true })] });
      const draft = new Draft();
      const drafted = draftPart(scope, { key: 'k', actions: [action], later: true, scheduled }, new Map(), draft);
      return [draft.guards, drafted.compiled[0]?.plan.before?.length ?? 0, drafted.compiled[0]?.plan.index];
    };
    expect([compileScheduled(false), compileScheduled(true)]).to.deep.equal([
      [['JWT'], 0, -1],
      [[], 1, -1],
    ]);
  });
});
