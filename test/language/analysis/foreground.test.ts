/** Foreground, background and scheduled actionables of a resource, their order, and the main result. */
import { expect } from 'chai';
import { partitionActions, findMainAction } from '../../../language/analysis/foreground.js';
import type { ActionModel } from '../../../language/analysis/model.js';
import { listInRunningOrder } from '../../../language/analysis/running-order.js';

interface ActionSketch {
  readonly key: string;
  readonly needs?: readonly string[];
  readonly noOp?: boolean;
  readonly main?: boolean;
  /** Deferred by the resource, or by the actionable itself. */
  readonly later?: 'resource' | 'own';
  readonly scheduled?: boolean;
  readonly immediate?: boolean;
}

function divided(written: readonly ActionSketch[]): {
  now: string;
  parts: string[];
  accepted: boolean;
  main: string | null;
} {
  const actions = written.map(
    ({ key, noOp = false, main = false, later, scheduled = false }) =>
      ({
        key,
        noOp,
        main,
        timing: { later: later !== undefined, own: later === 'own', scheduled },
      }) as unknown as ActionModel,
  );
  const findAction = (key: string): ActionModel => actions.find((action) => action.key === key) ?? expect.fail(key);
  const of = (action: ActionModel): ActionSketch => written.find(({ key }) => key === action.key) ?? expect.fail();
  const division = partitionActions(
    actions,
    (action) => (of(action).needs ?? []).map(findAction),
    (action) => of(action).immediate === true,
  );
  const keys = (list: readonly ActionModel[]): string => list.map(({ key }) => key).join(' ');
  return {
    now: keys(division.now),
    parts: division.parts.map(
      ({ key, actions: members, scheduled, later }) =>
        `${key}: ${keys(members)}${scheduled ? ' by the clock' : ''}${later ? ' later' : ''}`,
    ),
    accepted: division.accepted,
    main: findMainAction(actions, division)?.key ?? null,
  };
}

describe('foreground and background work of a resource', () => {
  const CASES: readonly (readonly [
    title: string,
    written: readonly ActionSketch[],
    expected: ReturnType<typeof divided>,
  ])[] = [
    ['is empty without actionables', [], { now: '', parts: [], accepted: false, main: null }],
    [
      'returns the result of the last actionable',
      [{ key: 'a' }, { key: 'b' }],
      { now: 'a b', parts: [], accepted: false, main: 'b' },
    ],
    [
      'returns the result of the actionable marked as main',
      [{ key: 'a', main: true }, { key: 'b' }],
      { now: 'a b', parts: [], accepted: false, main: 'a' },
    ],
    [
      'runs dependencies directly before the first that needs them, once',
      [{ key: 'a' }, { key: 'b', needs: ['d', 'c'] }, { key: 'c', noOp: true }, { key: 'd', needs: ['c'] }],
      { now: 'a c d b', parts: [], accepted: false, main: 'd' },
    ],
    [
      'omits a `no_op` that no other actionable needs',
      [
        { key: 'a', noOp: true },
        { key: 'b', noOp: true },
        { key: 'c', needs: ['b'] },
      ],
      { now: 'b c', parts: [], accepted: false, main: 'c' },
    ],
    [
      'has no main result if nothing starts by itself',
      [{ key: 'a', noOp: true }],
      { now: '', parts: [], accepted: false, main: null },
    ],
    [
      'returns the result of a dependency that is marked as main',
      [
        { key: 'a', noOp: true, main: true },
        { key: 'b', needs: ['a'] },
      ],
      { now: 'a b', parts: [], accepted: false, main: 'a' },
    ],
    [
      'accepts what the resource defers, as one part',
      [
        { key: 'a', later: 'resource' },
        { key: 'b', later: 'resource' },
      ],
      { now: '', parts: ['b: a b later'], accepted: true, main: null },
    ],
    [
      'responds although one actionable defers itself',
      [{ key: 'a' }, { key: 'b', later: 'own' }],
      { now: 'a', parts: ['b: b later'], accepted: false, main: 'a' },
    ],
    [
      'has a part for each actionable that defers itself',
      [
        { key: 'a', later: 'own' },
        { key: 'b', later: 'own' },
      ],
      { now: '', parts: ['a: a later', 'b: b later'], accepted: false, main: null },
    ],
    [
      'joins parts that depend on each other',
      [
        { key: 'a', later: 'own' },
        { key: 'x', later: 'own' },
        { key: 'b', later: 'own', needs: ['a'] },
      ],
      { now: '', parts: ['x: x later', 'b: a b later'], accepted: false, main: null },
    ],
    [
      'runs in the foreground what the foreground needs, and not again',
      [
        { key: 'a', later: 'own' },
        { key: 'b', needs: ['a'] },
        { key: 'c', later: 'own', needs: ['b'] },
      ],
      { now: 'a b', parts: ['c: c later'], accepted: false, main: 'b' },
    ],
    [
      'runs in the foreground what only the request can provide',
      [
        { key: 'a', later: 'resource', immediate: true },
        { key: 'b', later: 'resource' },
      ],
      { now: 'a', parts: ['b: b later'], accepted: true, main: null },
    ],
    [
      'leaves scheduled actionables to the scheduler, with their dependencies',
      [{ key: 'a' }, { key: 'b', scheduled: true, needs: ['a'] }, { key: 'c', scheduled: true, later: 'own' }],
      { now: 'a', parts: ['b: a b by the clock', 'c: c by the clock later'], accepted: false, main: 'a' },
    ],
    [
      'schedules no `no_op` that others need',
      [{ key: 'a', scheduled: true, noOp: true }],
      { now: '', parts: [], accepted: false, main: null },
    ],
  ];
  for (const [title, written, expected] of CASES) it(title, () => expect(divided(written)).to.deep.equal(expected));

  it('orders circular dependencies, each once', () => {
    const [a, b] = [
      { key: 'a', noOp: false },
      { key: 'b', noOp: false },
    ];
    expect(listInRunningOrder([a, b], (one) => (one === a ? [b] : [a]))).to.deep.equal([b, a]);
  });
});
