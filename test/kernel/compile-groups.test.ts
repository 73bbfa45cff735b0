/** Which actionables run together, in which order steps run, and when a result goes to the answer as text. */
import { expect } from 'chai';
import { groupActions } from '../../kernel/plan/groups.js';
import type { ActionPlan } from '../../kernel/plan/plan.js';
import { asJsonText, type Route } from '../../kernel/plan/render.js';
import { stepsBetween } from '../../kernel/plan/steps.js';
import type { Execute, Hide, Step, Turns, Unit } from '../../contract/plan.js';
import { action, alone, recorded, step } from '../support/plans.js';

/** Notes what it was joined with. */
function unitOf(key: string) {
  const joined: unknown[] = [];
  const unit: Unit = {
    ...recorded([]),
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
  const [a, b] = [unitOf('a').unit, unitOf('b').unit];
  const none = { unit: null };
  const [inA, inB, always] = [{ unit: a }, { unit: b }, { unit: a, always: true }];
  const beside = { unit: a, parallel: true };
  const cases: readonly (readonly [
    string,
    readonly Partial<ActionPlan>[],
    readonly (readonly string[])[],
    boolean?,
  ])[] = [
    ['nothing', [], []],
    ['neighbours of one unit share it', [inA, inA], [['0,1', 'a']]],
    ['one alone has none', [inA], [['0']]],
    ['one alone has one where its work is several steps', [always], [['0', 'a']]],
    ['units of other stores are not shared', [inA, inB, inA], [['0'], ['1'], ['2']]],
    ['what has no unit is shared with nothing', [none, none], [['0'], ['1']]],
    ['what has no unit ends a group', [inA, none, inA], [['0'], ['1'], ['2']]],
    ['what stands apart shares nothing', [inA, { ...inA, apart: true }, inA], [['0'], ['1'], ['2']]],
    ['all stand alone where something wants it', [inA, inA], [['0'], ['1']], true],
    ['parallel neighbours run at once, each with its own', [beside, beside, inA], [['0,1', 'at once'], ['2']]],
    ['parallel with nothing beside it is like any other', [beside, inA], [['0'], ['1']]],
    ['parallel does not share the unit before it', [inA, beside], [['0'], ['1']]],
    ['parallel runs at once also where all stand alone', [beside, beside], [['0,1', 'at once']], true],
  ];
  for (const [title, plans, expected, isAlone] of cases)
    it(title, () => {
      const actions = plans.map((rest, index) => action(index, rest));
      expect(shape(actions, isAlone)).to.deep.equal(expected);
    });

  it('have a unit for the last one where work is put off, whatever it is, and no other has', () => {
    const actions = [inA, inB, inA].map((rest, index) => action(index, rest));
    expect(shape(actions, false, [], 'last')).to.deep.equal([['0'], ['1'], ['2', 'a']]);
    expect(shape([action(0, beside), action(1, beside)], false, [], 'last')).to.deep.equal([['0,1', 'at once']]);
    expect(shape([action(0)], false, [], 'last')).to.deep.equal([['0']]);
  });

  it('tell the unit what depends on what, by place among its own', () => {
    const { unit, joined } = unitOf('a');
    const actions = [0, 1, 2].map((index) => action(index, { unit: index === 0 ? b : unit }));
    groupActions(actions, false, [[], [0], [0, 1]]);
    expect(joined).to.deep.equal([{ units: 2, closing: true, needs: [[], [0]] }]);
  });

  it('tell the unit whether anything can still fail after the work of the last one', () => {
    const closing = (after: readonly Partial<Step>[] | null, rides = false): unknown => {
      const { unit, joined } = unitOf('a');
      const steps = after?.map((rest) => ({ ...step(() => undefined), ...rest })) ?? null;
      groupActions(
        [action(0, { unit, after: [step(() => undefined)] }), action(1, { unit, after: steps })],
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

  it('wait for the turn of the first that waits for one, inside a unit only', () => {
    const [one, two] = [{ sort: 1 }, { sort: 2 }] as unknown as Turns[];
    const turnsOf = (...plans: Partial<ActionPlan>[]) =>
      groupActions(
        plans.map((rest, index) => action(index, rest)),
        false,
        [],
      ).map(({ turns }) => turns);
    const [first, second] = [one ?? null, two ?? null];
    expect(turnsOf(inA, { ...inA, turns: first }, { ...inA, turns: second })).to.deep.equal([one]);
    expect(turnsOf({ ...none, turns: first })).to.deep.equal([null]);
    expect(turnsOf(inA, inA)).to.deep.equal([null]);
  });
});

describe('steps of some phases', () => {
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
  const ids = (from: number, to: number) => stepsBetween(steps, from, to)?.map(({ id }) => id) ?? null;

  it('are ordered by phase, then by order, then as written; both ends are included', () => {
    expect(ids(20, 30)).to.deep.equal(['early', 'first', 'again', 'second', 'late']);
    expect(ids(10, 19)).to.deep.equal(['low']);
    expect(ids(30, Infinity)).to.deep.equal(['late']);
    expect([ids(11, 19), ids(31, 40)]).to.deep.equal([null, null]);
  });
});

describe('a result as JSON text', () => {
  const hide: Hide = (value) => value;
  const text: Execute = () => 'text';
  const picks = (names: string[], rest: Partial<Step> = {}): Step => ({
    ...step(() => undefined),
    picks: names,
    ...rest,
  });
  const other = step(() => undefined);
  const route = (plan: Partial<ActionPlan> = {}, rest: Partial<Route> = {}): Route => ({
    ...{ groups: [alone(0, plan)], reply: null, settle: null, main: 0 },
    ...rest,
  });
  /** What the mode is asked for, or null where it is not asked. */
  const asked = (one: Route): unknown => {
    let found: unknown = null;
    asJsonText(one, (names, hides) => {
      found = [names, hides];
      return text;
    });
    return found;
  };

  it('is asked for where nothing looks at it, or where its names alone are picked', () => {
    expect(asked(route())).to.deep.equal([null, null]);
    expect(asked(route({ after: [picks(['id', 'name'])] }))).to.deep.equal([['id', 'name'], null]);
    expect(asked(route({}, { reply: [picks(['id'], { hides: hide })] }))).to.deep.equal([['id'], hide]);
    expect(asked(route({ after: [picks(['id'])] }, { reply: [picks(['id'])] }))).to.deep.equal([['id'], null]);
    expect(asked(route({}, { settle: [{ ...other, takesText: true }] }))).to.deep.equal([null, null]);
  });

  const group = alone(0);
  const [first = action(0)] = group.actions;
  const refused: Readonly<Record<string, Route>> = {
    'there is nothing to do': route({}, { groups: [] }),
    'a group has two actionables': route({}, { groups: [{ ...group, actions: [first, first] }] }),
    'there are two groups': route({}, { groups: [group, alone(1)] }),
    'it runs in a unit of work': route({}, { groups: [{ ...group, unit: recorded([]) }] }),
    'another one is answered': route({}, { main: 1 }),
    'nothing is answered': route({}, { main: -1 }),
    'something runs before the work': route({ before: [other] }),
    'a step looks at the result': route({ after: [other] }),
    'a later step looks at it': route({ after: [picks(['id']), other] }),
    'the answer is looked at': route({}, { reply: [other] }),
    'other names are picked later': route({ after: [picks(['id'])] }, { reply: [picks(['name'])] }),
    'names are picked in another order': route({ after: [picks(['a', 'b'])] }, { reply: [picks(['b', 'a'])] }),
    'two steps hide something': route({ after: [picks(['id'], { hides: hide }), picks(['id'], { hides: hide })] }),
    'a step at the end takes values only': route({}, { settle: [{ ...other, takesText: true }, other] }),
  };
  for (const [title, one] of Object.entries(refused))
    it(`is not asked for where ${title}`, () => {
      expect(asked(one)).to.equal(null);
      expect(asJsonText(one, () => text)).to.equal(one);
    });

  it('takes the place of the work and of the steps that it makes needless', () => {
    const made = asJsonText(route({ after: [picks(['id'])] }, { reply: [picks(['id'])] }), () => text);
    expect(made.reply).to.equal(null);
    expect(made.groups[0]?.actions[0]).to.deep.include({ execute: text, after: null, key: 'test#0' });
    const kept = route({ after: [picks(['id'])] });
    expect([asJsonText(kept, () => null), asJsonText(kept, undefined)]).to.deep.equal([kept, kept]);
  });
});
