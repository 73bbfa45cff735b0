/** Units of work in plans made by hand: what is put back before another try, and who has a unit beside neighbours. */
import { expect } from 'chai';
import type { ActionGroup, ActionPlan, ResourcePlan } from '../../kernel/compile/plan.js';
import type { Frame, Turns, Unit } from '../../kernel/contract/plan.js';
import { invoke } from '../../kernel/runtime/invoke.js';
import { testInvocation } from '../support/invocation.js';
import type { LiveHooks } from '../../kernel/runtime/hooks.js';

const HOOKS: LiveHooks = {
  accept: null,
  beforeValidate: null,
  reply: null,
  afterResponse: null,
  broadcast: null,
  happening: null,
  execute: () => null,
};

const action = (index: number, rest: Partial<ActionPlan>): ActionPlan => ({
  key: `test#${index}`,
  mode: 'TEST',
  index,
  before: null,
  execute: () => null,
  after: null,
  shape: null,
  unit: null,
  parallel: false,
  always: false,
  turns: null,
  apart: false,
  describe: null,
  ...rest,
});

const plan = (group: ActionGroup): ResourcePlan => ({
  id: 'test',
  path: 'test',
  file: 'test.json',
  admit: null,
  check: null,
  groups: [group],
  accepts: null,
  parts: new Map(),
  schedules: [],
  main: group.actions.length - 1,
  reply: null,
  settle: null,
  slots: 0,
  memos: [],
  makers: [],
  results: group.actions.length,
  takesList: false,
  files: null,
  identities: [],
  requestOnly: false,
  reachable: true,
  summary: { guard: 'open', validated: [], touches: [], sample: {}, presumes: false, describe: null },
});

const RETRY = new Error('try again');

/** Notes what happens to it; each opening gives a number of its own. */
function recorded(events: string[]): Unit {
  let opened = 0;
  const unit: Unit = {
    key: 'recorded',
    join: () => unit,
    open: () => {
      events.push(`open ${++opened}`);
      return Promise.resolve(opened);
    },
    commit: (one) => Promise.resolve(void events.push(`commit ${String(one)}`)),
    rollback: (one) => Promise.resolve(void events.push(`rollback ${String(one)}`)),
    retryable: (error) => error instanceof Error && (error === RETRY || error.cause === RETRY),
  };
  return unit;
}

describe('units of work', () => {
  it('another try sees the payload that the first one saw', async () => {
    const events: string[] = [];
    const unit = recorded(events);
    let tries = 0;
    const change = {
      id: 'change',
      phase: 300,
      run: (frame: Frame): void => {
        frame.payload = { ...frame.payload, word: `changed ${String(frame.payload['word'])}` };
      },
    };
    const execute = (frame: Frame): unknown => {
      if (++tries < 3) throw RETRY;
      return [frame.payload['word'], frame.received['word'], frame.unit];
    };
    const actions = [action(0, { before: [change], execute, unit })];
    const { body } = await invoke(
      plan({ unit, parallel: false, turns: null, actions }),
      testInvocation({ word: 'a' }),
      HOOKS,
    );
    expect(body).to.deep.equal(['changed a', 'a', 3]);
    expect(events).to.deep.equal(['open 1', 'rollback 1', 'open 2', 'rollback 2', 'open 3', 'commit 3']);
  });

  it('beside neighbours, work of more than one step has a unit of its own, and other work has none', async () => {
    const events: string[] = [];
    const unit = recorded(events);
    const seen: unknown[] = [];
    const look = async (frame: Frame): Promise<unknown> => {
      await Promise.resolve();
      const fork = frame.fork({ item: 1 });
      return void seen.push([frame.unit, fork.unit, fork.payload['item'], frame.payload['word'], fork.now()]);
    };
    const actions = [
      action(0, { execute: look, unit, parallel: true, always: true }),
      action(1, { execute: look, unit, parallel: true, always: true }),
      action(2, { execute: look, unit, parallel: true }),
    ];
    await invoke(plan({ unit: null, parallel: true, turns: null, actions }), testInvocation({ word: 'a' }), HOOKS);
    const now = new Date(0).toISOString();
    expect(seen).to.have.deep.members([
      [1, 1, 1, 'a', now],
      [2, 2, 1, 'a', now],
      [null, null, 1, 'a', now],
    ]);
    expect(events).to.have.members(['open 1', 'open 2', 'commit 1', 'commit 2']);
  });

  it('what an item of a list does once it is committed is done after the commit, beside neighbours too', async () => {
    const orders: string[][] = [];
    for (const parallel of [false, true]) {
      const events: string[] = [];
      const unit = recorded(events);
      const execute = (frame: Frame): void => {
        for (const item of [1, 2]) void frame.fork({ item }).whenCommitted(() => void events.push(`told ${item}`));
      };
      const actions = [action(0, { execute, unit, parallel, always: true })];
      const group = { unit: parallel ? null : unit, parallel, turns: null, actions };
      await invoke(plan(group), testInvocation({}), HOOKS);
      orders.push(events);
    }
    const order = ['open 1', 'commit 1', 'told 1', 'told 2'];
    expect(orders).to.deep.equal([order, order]);
  });

  it('opens no unit before there is a turn, and gives the turn back however the work ends', async () => {
    const events: string[] = [];
    const unit = recorded(events);
    const turns: Turns = {
      take: () => {
        events.push('turn');
        return Promise.resolve(() => void events.push('leave'));
      },
    };
    const fails = (): never => {
      throw new Error('no');
    };
    const group = (execute: () => unknown): ActionGroup => ({
      unit,
      parallel: false,
      turns,
      actions: [action(0, { execute, unit })],
    });
    await invoke(plan(group(() => 1)), testInvocation({}), HOOKS);
    await invoke(plan(group(fails)), testInvocation({}), HOOKS).catch(() => undefined);
    expect(events).to.deep.equal(['turn', 'open 1', 'commit 1', 'leave', 'turn', 'open 2', 'rollback 2', 'leave']);
  });

  it('one that fails beside neighbours takes back its own alone', async () => {
    const events: string[] = [];
    const unit = recorded(events);
    const fails = (): never => {
      throw new Error('no');
    };
    const actions = [
      action(0, { execute: () => 1, unit, parallel: true, always: true }),
      action(1, { execute: fails, unit, parallel: true, always: true }),
    ];
    const failure: unknown = await invoke(
      plan({ unit: null, parallel: true, turns: null, actions }),
      testInvocation({}),
      HOOKS,
    ).catch((error: unknown) => error);
    expect(failure).to.have.nested.property('where.action', 'test#1');
    expect(events).to.have.members(['open 1', 'open 2', 'commit 1', 'rollback 2']);
  });
});
