/** Transactions in hand-written plans: what is reset before a retry, and which parallel actionables have one. */
import { expect } from 'chai';
import type { ActionGroup } from '../../../contract/resource-plan.js';
import type { Frame, StepLimiter, Unit } from '../../../contract/plan.js';
import { invokePlan } from '../../../kernel/runtime/invoke.js';
import { createTestInvocation } from '../../support/invocation.js';
import { replaceTime } from '../../support/manual-time.js';
import { createActionPlan, HOOKS, createRecordedTransaction, createResourcePlan, RETRY } from '../../support/plans.js';

describe('transactions', () => {
  it('pass the original payload to a retry', async () => {
    const events: string[] = [];
    const unit = createRecordedTransaction(events);
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
    const actions = [createActionPlan(0, { before: [change], execute, unit })];
    const { body } = await invokePlan(
      createResourcePlan({ unit, parallel: false, turns: null, actions }),
      createTestInvocation({ word: 'a' }),
      HOOKS,
    );
    expect(body).to.deep.equal(['changed a', 'a', 3]);
    expect(events).to.deep.equal(['open 1', 'rollback 1', 'open 2', 'rollback 2', 'open 3', 'commit 3']);
  });

  it('are opened for a parallel actionable of more than one step', async () => {
    const events: string[] = [];
    const unit = createRecordedTransaction(events);
    const seen: unknown[] = [];
    const look = async (frame: Frame): Promise<unknown> => {
      await Promise.resolve();
      const fork = frame.forkFrame({ item: 1 });
      return void seen.push([frame.unit, fork.unit, fork.payload['item'], frame.payload['word'], fork.now()]);
    };
    const actions = [
      createActionPlan(0, { execute: look, unit, parallel: true, always: true }),
      createActionPlan(1, { execute: look, unit, parallel: true, always: true }),
      createActionPlan(2, { execute: look, unit, parallel: true }),
    ];
    await invokePlan(
      createResourcePlan({ unit: null, parallel: true, turns: null, actions }),
      createTestInvocation({ word: 'a' }),
      HOOKS,
    );
    const now = new Date(0).toISOString();
    expect(seen).to.have.deep.members([
      [1, 1, 1, 'a', now],
      [2, 2, 1, 'a', now],
      [null, null, 1, 'a', now],
    ]);
    expect(events).to.have.members(['open 1', 'open 2', 'commit 1', 'commit 2']);
  });

  it('run callbacks of list items after the commit, also in parallel groups', async () => {
    const orders: string[][] = [];
    for (const parallel of [false, true]) {
      const events: string[] = [];
      const unit = createRecordedTransaction(events);
      const execute = (frame: Frame): void => {
        for (const item of [1, 2]) void frame.forkFrame({ item }).afterCommit(() => void events.push(`told ${item}`));
      };
      const actions = [createActionPlan(0, { execute, unit, parallel, always: true })];
      const group = { unit: parallel ? null : unit, parallel, turns: null, actions };
      await invokePlan(createResourcePlan(group), createTestInvocation({}), HOOKS);
      orders.push(events);
    }
    const order = ['open 1', 'commit 1', 'told 1', 'told 2'];
    expect(orders).to.deep.equal([order, order]);
  });

  it('are opened after the limiter is acquired, which is released in every case', async () => {
    const events: string[] = [];
    const unit = createRecordedTransaction(events);
    const turns: StepLimiter = {
      acquire: () => {
        events.push('turn');
        return Promise.resolve(() => void events.push('leave'));
      },
    };
    const throwError = (): never => {
      throw new Error('no');
    };
    const group = (execute: () => unknown): ActionGroup => ({
      unit,
      parallel: false,
      turns,
      actions: [createActionPlan(0, { execute, unit })],
    });
    await invokePlan(createResourcePlan(group(() => 1)), createTestInvocation({}), HOOKS);
    await invokePlan(createResourcePlan(group(throwError)), createTestInvocation({}), HOOKS).catch(() => undefined);
    expect(events).to.deep.equal(['turn', 'open 1', 'commit 1', 'leave', 'turn', 'open 2', 'rollback 2', 'leave']);
  });

  it('roll back only their own work if they fail in a parallel group', async () => {
    const events: string[] = [];
    const unit = createRecordedTransaction(events);
    const throwError = (): never => {
      throw new Error('no');
    };
    const actions = [
      createActionPlan(0, { execute: () => 1, unit, parallel: true, always: true }),
      createActionPlan(1, { execute: throwError, unit, parallel: true, always: true }),
    ];
    const failure: unknown = await invokePlan(
      createResourcePlan({ unit: null, parallel: true, turns: null, actions }),
      createTestInvocation({}),
      HOOKS,
    ).catch((error: unknown) => error);
    expect(failure).to.have.nested.property('where.action', 'test#1');
    expect(events).to.have.members(['open 1', 'open 2', 'commit 1', 'rollback 2']);
  });

  it('drop the callbacks of an attempt that was rolled back', async () => {
    for (const parallel of [false, true]) {
      const events: string[] = [];
      const unit = createRecordedTransaction(events);
      let tries = 0;
      const execute = (frame: Frame): void => {
        const n = ++tries;
        void frame.afterCommit(() => void events.push(`done ${n}`));
        void frame.forkFrame({ item: 1 }).afterCommit(() => void events.push(`item done ${n}`));
        if (n < 3) throw RETRY;
      };
      const actions = [createActionPlan(0, { execute, unit, parallel, always: true })];
      await invokePlan(
        createResourcePlan({ unit: parallel ? null : unit, parallel, turns: null, actions }),
        createTestInvocation({}),
        HOOKS,
      );
      const tried = ['open 1', 'rollback 1', 'open 2', 'rollback 2', 'open 3'];
      expect(events, `parallel: ${parallel}`).to.deep.equal([...tried, 'commit 3', 'done 3', 'item done 3']);
    }
  });

  it('run no callback if the last attempt is rolled back', async () => {
    const events: string[] = [];
    const unit = createRecordedTransaction(events);
    const execute = (frame: Frame): never => {
      void frame.afterCommit(() => void events.push('done'));
      throw RETRY;
    };
    const actions = [createActionPlan(0, { execute, unit })];
    const failure: unknown = await invokePlan(
      createResourcePlan({ unit, parallel: false, turns: null, actions }),
      createTestInvocation({}),
      HOOKS,
    ).catch((error: unknown) => error);
    expect(failure).to.have.property('cause', RETRY);
    const tries = Array.from({ length: 30 }, (_, n) => [`open ${n + 1}`, `rollback ${n + 1}`]).flat();
    expect(events).to.deep.equal(tries);
  });

  it('are not retried after a permanent failure, also at the commit', async () => {
    for (const fails of ['execute', 'commit'] as const) {
      const events: string[] = [];
      const unit = createRecordedTransaction(events);
      const wrong = new Error('no');
      const failing: Unit = { ...unit, commit: () => Promise.reject(wrong) };
      const execute = (frame: Frame): void => {
        void frame.afterCommit(() => void events.push('done'));
        if (fails === 'execute') throw wrong;
      };
      const used = fails === 'commit' ? failing : unit;
      const failure: unknown = await invokePlan(
        createResourcePlan({
          unit: used,
          parallel: false,
          turns: null,
          actions: [createActionPlan(0, { execute, unit: used })],
        }),
        createTestInvocation({}),
        HOOKS,
      ).catch((error: unknown) => error);
      expect(failure, fails).to.have.property('cause', wrong);
      expect(events, fails).to.deep.equal(['open 1', 'rollback 1']);
    }
  });

  it('are retried as a whole if the commit fails', async () => {
    const events: string[] = [];
    const unit = createRecordedTransaction(events);
    let commits = 0;
    const conflicting: Unit = {
      ...unit,
      commit: (one) => (++commits === 1 ? Promise.reject(RETRY) : unit.commit(one)),
    };
    const execute = (frame: Frame): unknown => {
      void frame.afterCommit(() => void events.push(`done ${String(frame.unit)}`));
      return frame.unit;
    };
    const actions = [createActionPlan(0, { execute, unit: conflicting })];
    const { body } = await invokePlan(
      createResourcePlan({ unit: conflicting, parallel: false, turns: null, actions }),
      createTestInvocation({}),
      HOOKS,
    );
    expect(body).to.equal(2);
    expect(events).to.deep.equal(['open 1', 'rollback 1', 'open 2', 'commit 2', 'done null']);
  });

  it('wait longer before each retry, with jitter', async () => {
    const time = replaceTime();
    const { random } = Math;
    Math.random = () => 1;
    const opened: number[] = [];
    const unit: Unit = { ...createRecordedTransaction([]), open: () => Promise.resolve(opened.push(time.now())) };
    const execute = (): never => {
      throw RETRY;
    };
    try {
      const work = invokePlan(
        createResourcePlan({ unit, parallel: false, turns: null, actions: [createActionPlan(0, { execute, unit })] }),
        createTestInvocation({}),
        HOOKS,
      ).catch(() => undefined);
      await time.advance(6000);
      await work;
    } finally {
      time.restoreGlobals();
      Math.random = random;
    }
    expect(opened.slice(0, 8)).to.deep.equal([0, 10, 30, 70, 120, 170, 220, 270]);
    expect(opened).to.have.length(30);
  });

  it('are retried one at a time after a conflict, so that attempts suffice under contention', async () => {
    let [opened, tries] = [0, 0];
    const unit: Unit = {
      ...createRecordedTransaction([]),
      open: () => Promise.resolve(++opened),
      // As a database that ends each transaction that overlaps with another one.
      commit: () => (opened > 1 ? Promise.reject(RETRY) : Promise.resolve(void opened--)),
      rollback: () => Promise.resolve(void opened--),
    };
    const execute = async (): Promise<number> => {
      await new Promise((resolve) => setImmediate(resolve));
      return ++tries;
    };
    const plan = createResourcePlan({
      unit,
      parallel: false,
      turns: null,
      actions: [createActionPlan(0, { execute, unit })],
    });
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => invokePlan(plan, createTestInvocation({}), HOOKS)),
    );
    expect(replies).to.have.length(50);
    expect([opened, tries]).to.deep.equal([0, 99]);
  });

  it('leave the payload to other parallel actionables in a retry', async () => {
    const unit = createRecordedTransaction([]);
    const seen: unknown[] = [];
    const execute = (frame: Frame): void => {
      seen.push(frame.payload);
      frame.payload = { word: 'changed' };
      if (seen.length < 2) throw RETRY;
    };
    const actions = [createActionPlan(0, { execute, unit, parallel: true, always: true })];
    await invokePlan(
      createResourcePlan({ unit: null, parallel: true, turns: null, actions }),
      createTestInvocation({ word: 'a' }),
      HOOKS,
    );
    expect(seen).to.deep.equal([{ word: 'a' }, { word: 'changed' }]);
  });

  it('are not opened for parallel work without a store, nor for a single step', async () => {
    const events: string[] = [];
    const unit = createRecordedTransaction(events);
    const units: unknown[] = [];
    const execute = (frame: Frame): unknown => units.push(frame.unit);
    const actions = [
      createActionPlan(0, { execute, parallel: true, always: true }),
      createActionPlan(1, { execute, parallel: true, unit }),
    ];
    await invokePlan(
      createResourcePlan({ unit: null, parallel: true, turns: null, actions }),
      createTestInvocation({}),
      HOOKS,
    );
    expect([units, events]).to.deep.equal([[null, null], []]);
  });
});
