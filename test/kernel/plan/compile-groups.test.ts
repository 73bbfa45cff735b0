/** Grouping of actionables, order of steps, and results returned as JSON text. */
import { expect } from 'chai';
import { groupActions } from '../../../kernel/plan/groups.js';
import type { ActionPlan } from '../../../contract/resource-plan.js';
import { renderJsonText, type ReplyRoute } from '../../../language/analysis/rendered-route.js';
import { selectSteps } from '../../../contract/steps.js';
import type { Execute, Hide, Step, StepLimiter, Unit } from '../../../contract/plan.js';
import { createActionPlan, createSingleGroup, createRecordedTransaction, createTestStep } from '../../support/plans.js';

/** Records what it was combined with. */
function createUnit(key: string) {
  const joined: unknown[] = [];
  const unit: Unit = {
    ...createRecordedTransaction([]),
    key,
    join(others, closing, needs) {
      joined.push({ units: others.length, closing, needs });
      return unit;
    },
  };
  return { unit, joined };
}
const shape = (
  actions: readonly ActionPlan[],
  ...rest: [boolean?, (readonly number[])[]?, ('none' | 'last' | 'each')?]
) =>
  groupActions(actions, rest[0] ?? false, rest[1] ?? [], rest[2]).map(({ unit, parallel, actions: members }) => [
    members.map(({ index }) => index).join(),
    ...(parallel ? ['at once'] : []),
    ...(unit === null ? [] : [unit.key]),
  ]);

describe('groups of actionables', () => {
  const [a, b] = [createUnit('a').unit, createUnit('b').unit];
  const none = { unit: null };
  const passive = { unit: null, passive: true };
  const [inA, inB, always] = [{ unit: a }, { unit: b }, { unit: a, always: true }];
  const beside = { unit: a, parallel: true };
  const cases: readonly (readonly [
    string,
    readonly Partial<ActionPlan>[],
    readonly (readonly string[])[],
    boolean?,
  ])[] = [
    ['nothing', [], []],
    ['adjacent actionables of one store share a transaction', [inA, inA], [['0,1', 'a']]],
    ['a single actionable has no transaction', [inA], [['0']]],
    ['a single actionable of several steps has a transaction', [always], [['0', 'a']]],
    ['different stores do not share a transaction', [inA, inB, inA], [['0'], ['1'], ['2']]],
    ['an actionable without a transaction shares none', [none, none], [['0'], ['1']]],
    ['an actionable without a transaction ends a group', [inA, none, inA], [['0'], ['1'], ['2']]],
    [
      'a computation between two actionables of a transaction is inside it',
      [inA, passive, passive, inA],
      [['0,1,2,3', 'a']],
    ],
    [
      'a computation before, after or between transactions is outside',
      [passive, inA, passive, inB, passive],
      [['0'], ['1'], ['2'], ['3'], ['4']],
    ],
    ['an isolated computation is outside', [inA, { ...passive, apart: true }, inA], [['0'], ['1'], ['2']]],
    ['a computation is outside if all actionables are isolated', [inA, passive, inA], [['0'], ['1'], ['2']], true],
    ['an isolated actionable shares no transaction', [inA, { ...inA, apart: true }, inA], [['0'], ['1'], ['2']]],
    ['all actionables are isolated if a plugin requires it', [inA, inA], [['0'], ['1']], true],
    [
      'adjacent parallel actionables run together, each with its own transaction',
      [beside, beside, inA],
      [['0,1', 'at once'], ['2']],
    ],
    ['a single parallel actionable is treated like any other', [beside, inA], [['0'], ['1']]],
    ['a parallel actionable does not share the transaction before it', [inA, beside], [['0'], ['1']]],
    ['parallel actionables run together even if all are isolated', [beside, beside], [['0,1', 'at once']], true],
  ];
  for (const [title, plans, expected, isAlone] of cases)
    it(title, () => {
      const actions = plans.map((rest, index) => createActionPlan(index, rest));
      expect(shape(actions, isAlone)).to.deep.equal(expected);
    });

  it('open a transaction for the last one if work is deferred, and for no other', () => {
    const actions = [inA, inB, inA].map((rest, index) => createActionPlan(index, rest));
    expect(shape(actions, false, [], 'last')).to.deep.equal([['0'], ['1'], ['2', 'a']]);
    expect(shape([createActionPlan(0, beside), createActionPlan(1, beside)], false, [], 'last')).to.deep.equal([
      ['0,1', 'at once'],
    ]);
    expect(shape([createActionPlan(0)], false, [], 'last')).to.deep.equal([['0']]);
  });

  it('pass the dependencies of each actionable to the transaction, by index', () => {
    const { unit, joined } = createUnit('a');
    const actions = [0, 1, 2].map((index) => createActionPlan(index, { unit: index === 0 ? b : unit }));
    groupActions(actions, false, [[], [0], [0, 1]]);
    expect(joined).to.deep.equal([{ units: 2, closing: true, needs: [[], [0]] }]);
    joined.length = 0;
    const around = [0, 1, 2].map((index) => createActionPlan(index, index === 1 ? { passive: true } : { unit }));
    groupActions(around, false, [[], [0], [1]]);
    expect(joined).to.deep.equal([{ units: 2, closing: true, needs: [[], [0]] }]);
  });

  it('pass to the transaction whether anything can still fail after the last actionable', () => {
    const closing = (after: readonly Partial<Step>[] | null, rides = false): unknown => {
      const { unit, joined } = createUnit('a');
      const steps = after?.map((rest) => ({ ...createTestStep(() => undefined), ...rest })) ?? null;
      groupActions(
        [
          createActionPlan(0, { unit, after: [createTestStep(() => undefined)] }),
          createActionPlan(1, { unit, after: steps }),
        ],
        false,
        [],
        rides ? 'last' : 'none',
      );
      return (joined[0] as { closing: unknown }).closing;
    };
    expect([closing(null), closing([]), closing([{ total: true }])]).to.deep.equal([true, true, true]);
    expect([closing([{}]), closing([{ total: true }, {}]), closing([{}, { total: true }])]).to.deep.equal([
      false,
      false,
      false,
    ]);
    expect(closing(null, true)).to.equal(false);
  });

  it('wait for the first limiter, inside a transaction only', () => {
    const [one, two] = [{ sort: 1 }, { sort: 2 }] as unknown as StepLimiter[];
    const listTurns = (...plans: Partial<ActionPlan>[]) =>
      groupActions(
        plans.map((rest, index) => createActionPlan(index, rest)),
        false,
        [],
      ).map(({ turns }) => turns);
    const [first, second] = [one ?? null, two ?? null];
    expect(listTurns(inA, { ...inA, turns: first }, { ...inA, turns: second })).to.deep.equal([one]);
    expect(listTurns({ ...none, turns: first })).to.deep.equal([null]);
    expect(listTurns(inA, inA)).to.deep.equal([null]);
  });
});

describe('steps of several phases', () => {
  const at = (id: string, phase: number, order?: number): Step => ({
    ...{ id, phase, run: () => undefined },
    ...(order !== undefined && { order }),
  });
  const steps = [
    at('late', 30),
    at('second', 20, 1),
    at('first', 20),
    at('early', 20, -1),
    at('again', 20),
    at('low', 10),
  ];
  const ids = (from: number, to: number) => selectSteps(steps, from, to)?.map(({ id }) => id) ?? null;

  it('are ordered by phase, then by order, then by position; both bounds are included', () => {
    expect(ids(20, 30)).to.deep.equal(['early', 'first', 'again', 'second', 'late']);
    expect(ids(10, 19)).to.deep.equal(['low']);
    expect(ids(30, Infinity)).to.deep.equal(['late']);
    expect([ids(11, 19), ids(31, 40)]).to.deep.equal([null, null]);
  });
});

describe('result as JSON text', () => {
  const hide: Hide = (value) => value;
  const text: Execute = () => 'text';
  const createPickStep = (names: string[], rest: Partial<Step> = {}): Step => ({
    ...createTestStep(() => undefined),
    picks: names,
    ...rest,
  });
  const other = createTestStep(() => undefined);
  const route = (plan: Partial<ActionPlan> = {}, rest: Partial<ReplyRoute> = {}): ReplyRoute => ({
    ...{ groups: [createSingleGroup(0, plan)], reply: null, settle: null, main: 0 },
    ...rest,
  });
  /** The names that the mode receives, or null where it is not called. */
  const captureArguments = (one: ReplyRoute): unknown => {
    let found: unknown = null;
    const renders = (names: unknown, hides: unknown): Execute => {
      found = [names, hides];
      return text;
    };
    renderJsonText(one, [{ renders }]);
    return found;
  };

  it('is requested if no plugin reads the result, or only its columns are picked', () => {
    expect(captureArguments(route())).to.deep.equal([null, null]);
    expect(captureArguments(route({ after: [createPickStep(['id', 'name'])] }))).to.deep.equal([['id', 'name'], null]);
    expect(captureArguments(route({}, { reply: [createPickStep(['id'], { hides: hide })] }))).to.deep.equal([
      ['id'],
      hide,
    ]);
    expect(
      captureArguments(route({ after: [createPickStep(['id'])] }, { reply: [createPickStep(['id'])] })),
    ).to.deep.equal([['id'], null]);
    expect(captureArguments(route({}, { settle: [{ ...other, takesText: true }] }))).to.deep.equal([null, null]);
    expect(captureArguments(route({ after: [{ ...other, takesText: true }, createPickStep(['id'])] }))).to.deep.equal([
      ['id'],
      null,
    ]);
  });

  const group = createSingleGroup(0);
  const [first = createActionPlan(0)] = group.actions;
  const rejected: Readonly<Record<string, ReplyRoute>> = {
    'there is nothing to do': route({}, { groups: [] }),
    'actionables run at once': route({}, { groups: [{ ...group, parallel: true }] }),
    'another actionable follows': route({}, { groups: [group, createSingleGroup(1)] }),
    'another actionable is the main one': route({}, { main: 1 }),
    'nothing is returned': route({}, { main: -1 }),
    'a step runs before the work': route({ before: [other] }),
    'a step reads the result': route({ after: [other] }),
    'a later step reads the result': route({ after: [createPickStep(['id']), other] }),
    'a hook reads the response': route({}, { reply: [other] }),
    'other names are picked later': route({ after: [createPickStep(['id'])] }, { reply: [createPickStep(['name'])] }),
    'names are picked in another order': route(
      { after: [createPickStep(['a', 'b'])] },
      { reply: [createPickStep(['b', 'a'])] },
    ),
    'two steps redact fields': route({
      after: [createPickStep(['id'], { hides: hide }), createPickStep(['id'], { hides: hide })],
    }),
    'a step at the end needs values': route({}, { settle: [{ ...other, takesText: true }, other] }),
  };
  for (const [title, one] of Object.entries(rejected))
    it(`is not requested if ${title}`, () => {
      expect(captureArguments(one)).to.equal(null);
      expect(renderJsonText(one, [{ renders: () => text }])).to.equal(one);
    });

  it('replaces the work and the steps that it makes unnecessary', () => {
    const made = renderJsonText(route({ after: [createPickStep(['id'])] }, { reply: [createPickStep(['id'])] }), [
      { renders: () => text },
    ]);
    expect(made.reply).to.equal(null);
    expect(made.groups[0]?.actions[0]).to.deep.include({ execute: text, after: null, key: 'test#0' });
    const takesText = { ...other, takesText: true as const };
    expect(
      renderJsonText(route({ after: [takesText, createPickStep(['id'])] }), [{ renders: () => text }]).groups[0]
        ?.actions[0]?.after,
    ).to.deep.equal([takesText]);
    const given: unknown[] = [];
    const renders = (_names: unknown, _hide: unknown, ...rest: boolean[]): Execute => (given.push(rest), text);
    const settle = [{ ...other, takesText: true as const }];
    const inside = [{ ...group, unit: createRecordedTransaction([]) }];
    for (const rest of [{}, { settle }, { groups: inside }]) renderJsonText(route({}, rest), [{ renders }]);
    // Whether it may stream, and whether it runs in a transaction.
    expect(given).to.deep.equal([
      [true, false],
      [false, false],
      [false, true],
    ]);
    const kept = route({ after: [createPickStep(['id'])] });
    expect([renderJsonText(kept, [{ renders: () => null }]), renderJsonText(kept, [])]).to.deep.equal([kept, kept]);
  });

  const copy = { ...other, copies: [{ slot: 3, source: 0, path: [] as string[] }] };
  const passOn = (before: Step[], rest: Partial<ActionPlan> = {}, passes: number | null = 3): ReplyRoute => {
    const both = route({}, { groups: [group, createSingleGroup(1, { before, ...rest })], main: 1 });
    return renderJsonText(both, [{ renders: (names) => () => names }, { passes }]) as ReplyRoute;
  };

  it('passes through an actionable that returns it unchanged, which may pick names', () => {
    const { groups } = passOn([copy], { after: [createPickStep(['id'])] });
    expect(groups.map(({ actions }) => actions[0]?.after ?? null)).to.deep.equal([null, null]);
    expect(groups[0]?.actions[0]?.execute({} as never)).to.deep.equal(['id']);
    expect(groups[1]?.actions[0]).to.deep.include({ before: [copy], key: 'test#1' });
  });

  it('is not requested if the actionable behind it could change it, read more, or end the request', () => {
    const unchanged = (...given: Parameters<typeof passOn>): boolean =>
      passOn(...given).groups[0]?.actions[0]?.execute === first.execute;
    const rest = { ...copy, copies: [{ slot: 3, source: 0, path: ['id'] }] };
    const more = { ...copy, copies: [...copy.copies, { slot: 4, source: 0, path: [] }] };
    expect([unchanged([copy]), unchanged([copy], {}, null), unchanged([copy], {}, 4)]).to.deep.equal([
      false,
      true,
      true,
    ]);
    expect([[rest], [more], [copy, other], []].map((before) => unchanged(before))).to.not.include(false);
    expect(unchanged([copy], { after: [other] })).to.equal(true);
  });
});
