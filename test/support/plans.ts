/** Hand-written plans, for tests of the runtime: actionables, groups, and transactions that record their calls. */
import { expect } from 'chai';
import type { ActionGroup, ActionPlan, ResourcePlan } from '../../contract/resource-plan.js';
import { Fault } from '../../contract/fault.js';
import type { Step, Unit } from '../../contract/plan.js';
import type { LiveHooks } from '../../kernel/runtime/hooks.js';

export const HOOKS: LiveHooks = {
  accept: null,
  beforeValidate: null,
  reply: null,
  readsReplies: false,
  afterResponse: null,
  broadcast: null,
  happening: null,
  execute: () => null,
};

/** Does nothing, except for `rest`. */
export const createActionPlan = (index: number, rest: Partial<ActionPlan> = {}): ActionPlan => ({
  key: `test#${index}`,
  mode: 'TEST',
  index,
  before: null,
  execute: () => null,
  preview: null,
  after: null,
  shape: null,
  unit: null,
  parallel: false,
  always: false,
  pure: false,
  isTapped: false,
  passive: false,
  reads: false,
  turns: null,
  apart: false,
  describe: null,
  ...rest,
});

export const createTestStep = (run: Step['run']): Step => ({ id: 'test', phase: 0, run });
/** A group of one actionable, without a transaction. */
export const createSingleGroup = (index: number, rest: Parameters<typeof createActionPlan>[1] = {}): ActionGroup => ({
  ...{ unit: null, parallel: false, turns: null },
  actions: [createActionPlan(index, rest)],
});
/** By the next turn of the event loop. */
export const resolveLater = <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(() => resolve(value)));
/** Of a promise that must reject with one. */
export const expectFault = async (work: Promise<unknown>): Promise<Fault> => {
  const failure: unknown = await work.then(
    () => expect.fail('there was no fault'),
    (error: unknown) => error,
  );
  expect(failure).to.be.instanceOf(Fault);
  return failure as Fault;
};

/** A resource of these groups of actionables, answering the result of the last one. */
export const createResourcePlan = (
  group: ActionGroup | readonly ActionGroup[],
  rest: Partial<ResourcePlan> = {},
): ResourcePlan => {
  const groups = 'actions' in group ? [group] : group;
  const count = groups.reduce((sum, { actions }) => sum + actions.length, 0);
  return {
    id: 'test',
    path: 'test',
    file: 'test.json',
    plugins: new Set(),
    admit: null,
    check: null,
    groups,
    inside: false,
    accepts: null,
    parts: new Map(),
    schedules: [],
    main: count - 1,
    reply: null,
    settle: null,
    slots: 0,
    names: new Map(),
    memos: [],
    makers: [],
    results: count,
    takesList: false,
    files: null,
    identities: [],
    proof: 'none',
    requestOnly: false,
    reachable: true,
    summary: { guard: 'open', validated: [], touches: [], sample: {}, presumes: false, describe: null },
    ...rest,
  };
};

/** With this error a transaction may be retried. */
export const RETRY = new Error('try again');

/** Records its calls; each opening returns a number. */
export function createRecordedTransaction(events: string[]): Unit {
  let opened = 0;
  const unit: Unit = {
    key: 'recorded',
    join: () => unit,
    open: () => {
      events.push(`open ${++opened}`);
      return Promise.resolve(opened);
    },
    commit: (one) => Promise.resolve(void events.push(`commit ${String(one)}`)),
    async rollback(one) {
      await resolveLater(null);
      events.push(`rollback ${String(one)}`);
    },
    retryable: (error) => error instanceof Error && (error === RETRY || error.cause === RETRY),
  };
  return unit;
}
