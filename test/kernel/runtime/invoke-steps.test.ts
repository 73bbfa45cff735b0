/** One request from its guards to its response, in hand-written plans: order of steps, and steps that end it. */
import { expect } from 'chai';
import type { ActionGroup } from '../../../contract/resource-plan.js';
import { createFault } from '../../../contract/fault.js';
import { done } from '../../../contract/reply.js';
import type { ActionTiming, Frame, Step, Unit } from '../../../contract/plan.js';
import { RawJson } from '../../../contract/raw-json.js';
import { invokePlan } from '../../../kernel/runtime/invoke.js';
import { createTestInvocation } from '../../support/invocation.js';
import {
  createActionPlan,
  createSingleGroup,
  expectFault,
  HOOKS,
  resolveLater,
  createRecordedTransaction,
  createResourcePlan,
  createTestStep,
} from '../../support/plans.js';

/** Every kind of step, synchronous or asynchronous; each records its name, and one may end the list with a value. */
function recordedPlan(events: string[], late: boolean, ending?: string) {
  const noted = (name: string): Step =>
    createTestStep((frame, state) => {
      events.push(`${name} ${JSON.stringify(state.result ?? null)} ${JSON.stringify(frame.payload)}`);
      const end = name === ending ? done(`ended by ${name}`) : undefined;
      return late ? resolveLater(end) : end;
    });
  const steps = (name: string): Step[] => [noted(`${name} 1`), noted(`${name} 2`)];
  const execute = (): unknown => (late ? resolveLater('result') : 'result');
  const only = createSingleGroup(0, { before: steps('before'), execute, after: steps('after'), shape: steps('shape') });
  const rest = { admit: steps('admit'), check: steps('check'), reply: steps('reply'), settle: steps('settle') };
  return createResourcePlan(only, rest);
}

const ALL = ['admit', 'check', 'before', 'after', 'reply', 'settle'].flatMap((name) => [`${name} 1`, `${name} 2`]);
const upTo = (last: string): string[] => ALL.slice(0, ALL.indexOf(last) + 1);

describe('steps of a request', () => {
  for (const late of [false, true])
    describe(late ? 'that are asynchronous' : 'that are synchronous', () => {
      const run = async (ending?: string): Promise<{ body: unknown; names: string[]; events: string[] }> => {
        const events: string[] = [];
        const { body } = await invokePlan(recordedPlan(events, late, ending), createTestInvocation({ a: 1 }), HOOKS);
        return { body, events, names: events.map((event) => event.split(' ').slice(0, 2).join(' ')) };
      };

      it('run in order, guards before the payload is read, and receive the result once there is one', async () => {
        const { body, events } = await run();
        expect(body).to.equal('result');
        expect(events).to.deep.equal(
          ALL.map((name) => {
            const seen = /admit|check|before/.test(name) ? 'null' : '"result"';
            return `${name} ${seen} ${name.startsWith('admit') ? '{}' : '{"a":1}'}`;
          }),
        );
      });

      for (const name of ['admit 1', 'admit 2', 'check 1', 'check 2'])
        it(`end the request with the value of "${name}"`, async () => {
          const { body, names } = await run(name);
          expect([body, names]).to.deep.equal([`ended by ${name}`, upTo(name)]);
        });

      for (const name of ['before 1', 'before 2'])
        it(`replace the work with the value of "${name}", and still shape it`, async () => {
          const { body, names } = await run(name);
          const shaped = ['shape 1', 'shape 2', 'reply 1', 'reply 2', 'settle 1', 'settle 2'];
          expect([body, names]).to.deep.equal([`ended by ${name}`, [...upTo(name), ...shaped]]);
        });

      for (const name of ['after 1', 'reply 1', 'settle 1'])
        it(`replace the result with the value of "${name}", and skip the remaining steps of the list`, async () => {
          const { body, names } = await run(name);
          expect(body).to.equal(`ended by ${name}`);
          expect(names).to.deep.equal(ALL.filter((other) => other !== name.replace('1', '2')));
        });
    });

  it('are optional: without them the result of the main actionable is returned', async () => {
    const groups = [
      createSingleGroup(0, { execute: () => 'first' }),
      createSingleGroup(1, { execute: () => 'second' }),
    ];
    const answered = async (main: number): Promise<unknown> =>
      (await invokePlan(createResourcePlan(groups, { main }), createTestInvocation(), HOOKS)).body;
    expect([await answered(0), await answered(1), await answered(-1)]).to.deep.equal(['first', 'second', null]);
  });

  it('stop at the first failure and report the resource and the actionable', async () => {
    const wrong = new Error('wrong');
    const ran: number[] = [];
    const execute = (at: number) => (): void => {
      ran.push(at);
      if (at === 1) throw wrong;
    };
    const groups = [0, 1, 2].map((at) => createSingleGroup(at, { execute: execute(at) }));
    const failure = await expectFault(invokePlan(createResourcePlan(groups), createTestInvocation(), HOOKS));
    expect([failure.code, failure.cause, failure.where]).to.deep.equal([
      'INT_UNEXPECTED',
      wrong,
      { resource: 'test', action: 'test#1' },
    ]);
    expect(ran).to.deep.equal([0, 1]);
    const inner = createFault('VAL_FAILED');
    inner.where.action = 'other#3';
    const passing = (): never => {
      throw inner;
    };
    await expectFault(
      invokePlan(createResourcePlan(createSingleGroup(0, { execute: passing })), createTestInvocation(), HOOKS),
    );
    expect(inner.where).to.deep.equal({ resource: 'test', action: 'other#3' });
  });

  it('report a failure with the persistent headers, and no actionable if none ran', async () => {
    const own = createFault('VAL_FAILED');
    own.where.resource = 'other';
    const lasting = createTestStep((frame) => {
      frame.lastingHeaders = { 'x-lasting': '1' };
      frame.headers['x-dropped'] = '1';
    });
    const refuse = createTestStep(() => {
      throw own;
    });
    const plan = createResourcePlan(createSingleGroup(0), { admit: [lasting, refuse] });
    const failure = await expectFault(invokePlan(plan, createTestInvocation(), HOOKS));
    expect(failure).to.equal(own);
    expect(failure.where).to.deep.equal({ resource: 'other' });
    expect(failure.lastingHeaders).to.deep.equal({ 'x-lasting': '1' });
  });

  it('accept a list only if the resource does, and a payload that arrives later', async () => {
    const list = [{ a: 1 }] as unknown as Record<string, unknown>;
    const seen: unknown[] = [];
    const groups = [createSingleGroup(0, { execute: (frame) => seen.push(frame.payload, frame.received) })];
    for (const payload of [list, resolveLater(list)]) {
      const invocation = createTestInvocation({}, { readPayload: () => payload });
      expect((await expectFault(invokePlan(createResourcePlan(groups), invocation, HOOKS))).code).to.equal(
        'VAL_NOT_OBJECT',
      );
      await invokePlan(createResourcePlan(groups, { takesList: true }), invocation, HOOKS);
    }
    await invokePlan(createResourcePlan(groups, { takesList: true }), createTestInvocation({ b: 1 }), HOOKS);
    expect(seen).to.deep.equal([list, list, list, list, { b: 1 }, { b: 1 }]);
  });

  it('accept as many files as the resource allows', async () => {
    const asked: unknown[] = [];
    const files = { count: 2, bytes: 10 };
    const receive = (limits: unknown) => (asked.push(limits), {});
    for (const limits of [files, null])
      await invokePlan(
        createResourcePlan(createSingleGroup(0), { files: limits }),
        createTestInvocation({}, { readPayload: receive }),
        HOOKS,
      );
    expect(asked).to.deep.equal([files, null]);
  });
});

describe('request hooks', () => {
  it('can respond before the request is handled, and change the response', async () => {
    const ran: string[] = [];
    const plan = createResourcePlan(createSingleGroup(0, { execute: () => (ran.push('work'), { a: 1 }) }));
    const accept = () => Promise.resolve(done('early'));
    expect(await invokePlan(plan, createTestInvocation(), { ...HOOKS, accept })).to.deep.equal({
      ...{ status: 200, headers: {}, body: 'early' },
    });
    expect(ran).to.deep.equal([]);
    const reply = ((sent: unknown) => Promise.resolve({ status: 299, headers: { x: '1' }, body: [sent] })) as never;
    const { status, headers, body } = await invokePlan(plan, createTestInvocation(), {
      ...HOOKS,
      reply,
      accept: () => Promise.resolve(undefined),
    });
    expect([status, headers, body]).to.deep.equal([299, { x: '1' }, [{ status: 200, headers: {}, body: { a: 1 } }]]);
  });

  it('receive values, also if a result is already JSON text', async () => {
    const text = new RawJson(Buffer.from('{"a":1}'), (json) => JSON.parse(Buffer.from(json).toString()) as unknown);
    const plan = createResourcePlan(createSingleGroup(0, { execute: () => text }));
    expect((await invokePlan(plan, createTestInvocation(), HOOKS)).body).to.equal(text);
    const seen: unknown[] = [];
    const reply = ((sent: { body: unknown }) => (seen.push(sent.body), sent)) as never;
    await invokePlan(plan, createTestInvocation(), { ...HOOKS, reply, readsReplies: true });
    expect(seen).to.deep.equal([{ a: 1 }]);
  });

  it('run for each actionable before its payload is validated', async () => {
    const events: string[] = [];
    const check = [createTestStep(() => void events.push('check'))];
    const beforeValidate = (async (frame: Frame, { key }: { key: string }) => {
      await resolveLater(null);
      events.push(`${key} ${JSON.stringify(frame.payload)}`);
    }) as never;
    await invokePlan(
      createResourcePlan([createSingleGroup(0), createSingleGroup(1)], { check }),
      createTestInvocation({ a: 1 }),
      { ...HOOKS, beforeValidate },
    );
    expect(events).to.deep.equal(['test#0 {"a":1}', 'test#1 {"a":1}', 'check']);
  });

  it('receive the duration of each actionable, also of a failed one', async () => {
    const timings: ActionTiming[] = [];
    const throwFault = (): never => {
      throw createFault('QRY_FAILED');
    };
    const plan = createResourcePlan([
      createSingleGroup(0, { execute: () => resolveLater(1) }),
      createSingleGroup(1, { execute: throwFault }),
    ]);
    const before = performance.timeOrigin + performance.now();
    expect((await expectFault(invokePlan(plan, createTestInvocation({}, { timings }), HOOKS))).code).to.equal(
      'QRY_FAILED',
    );
    const after = performance.timeOrigin + performance.now();
    expect(timings.map(({ key, mode, code }) => [key, mode, code])).to.deep.equal([
      ['test#0', 'TEST', undefined],
      ['test#1', 'TEST', 'QRY_FAILED'],
    ]);
    for (const { startedAt, milliseconds } of timings) {
      expect(startedAt).to.be.within(before, after);
      expect(milliseconds).to.be.within(0, after - before);
    }
  });
});

describe('persistent effects of a request that fails later', () => {
  const failing = (index: number, rest: object = {}) =>
    createActionPlan(index, {
      execute: async () => {
        await resolveLater(null);
        throw createFault('QRY_FAILED');
      },
      ...rest,
    });
  /** The place of the last actionable that lasts. */
  async function lasts(groups: readonly ActionGroup[]): Promise<number | undefined> {
    let frame: Frame | undefined;
    const admit = [createTestStep((given) => void (frame = given))];
    await expectFault(invokePlan(createResourcePlan(groups, { admit }), createTestInvocation(), HOOKS));
    return frame?.committedTo;
  }
  const unit = createRecordedTransaction([]);
  const none = { unit: null, parallel: false, turns: null };
  const failure: ActionGroup = { ...none, actions: [failing(9)] };

  it('are empty before the first group has finished', async () => {
    expect(await lasts([failure])).to.equal(-1);
    expect(await lasts([{ ...none, unit, actions: [createActionPlan(0, { unit }), failing(1, { unit })] }])).to.equal(
      -1,
    );
  });

  it('contain every finished group: single actionables, committed transactions, parallel groups', async () => {
    expect(await lasts([createSingleGroup(0), failure])).to.equal(0);
    expect(await lasts([createSingleGroup(0), createSingleGroup(1), failure])).to.equal(1);
    const both = [createActionPlan(0, { unit }), createActionPlan(1, { unit })];
    expect(await lasts([{ ...none, unit, actions: both }, failure])).to.equal(1);
    expect(
      await lasts([{ ...none, parallel: true, actions: [createActionPlan(0), createActionPlan(1)] }, failure]),
    ).to.equal(1);
    const uncommitted: Unit = { ...unit, commit: () => Promise.reject(createFault('QRY_FAILED')) };
    expect(await lasts([{ ...none, unit: uncommitted, actions: both }])).to.equal(-1);
  });

  it('contain actionables that ran parallel to a failed one', async () => {
    const parallel = (...actions: ActionGroup['actions']): ActionGroup => ({ ...none, parallel: true, actions });
    expect(await lasts([createSingleGroup(0), parallel(createActionPlan(1), failing(2))])).to.equal(1);
    expect(await lasts([createSingleGroup(0), parallel(failing(1), createActionPlan(2))])).to.equal(2);
    expect(await lasts([createSingleGroup(0), parallel(failing(1), failing(2))])).to.equal(0);
    const own = { unit, parallel: true, always: true };
    expect(await lasts([createSingleGroup(0), parallel(failing(1, own), createActionPlan(2, own))])).to.equal(2);
  });
});
