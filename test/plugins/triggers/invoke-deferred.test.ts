/** Deferred work of a request, in hand-written plans: when it is enqueued, and what rolls it back. */
import { expect } from 'chai';
import type { AcceptPlan, ActionGroup, PartPlan } from '../../../contract/resource-plan.js';
import { createFault } from '../../../contract/fault.js';
import type { Frame, Step, Unit } from '../../../contract/plan.js';
import { acceptParts } from '../../../plugins/triggers/deferred-work/runner.js';
import { BackgroundInvocation } from '../../../plugins/triggers/deferred-work/invocation.js';
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

const PART = { admit: null, groups: [], steps: [] };

describe('deferred work of a request', () => {
  /** `seal`: replaces the payload by what may be stored. */
  function accepting(
    events: string[],
    { whole = false, seal = null as Step[] | null, fails = false } = {},
  ): AcceptPlan {
    const part = (key: string, put: string): PartPlan => ({
      ...{ key, ...PART },
      work: { stages: null, createJob: (id, _frame, payload) => ({ id, state: { payload } }) as never },
      deferral: {
        ...{ delay: 1, priority: 2, retries: 3 },
        enqueue: puts[put] as never,
      },
    });
    const puts: Record<string, unknown> = {};
    for (const name of ['one', 'two'])
      puts[name] = async (works: readonly { work: { id: string; state: { payload: unknown } } }[], frame: Frame) => {
        await resolveLater(null);
        if (fails) throw createFault('JOB_AWAY');
        const sent = works.map(({ work }) => `${work.id} ${JSON.stringify(work.state.payload)}`).join(', ');
        events.push(`put ${name}: ${sent} in ${String(frame.unit)}`);
      };
    const [first, second, third] = [part('test#7', 'one'), part('test#8', 'two'), part('test#9', 'one')];
    return { seal, whole, parts: [first, { ...first, deferral: null }, second, third], accept: acceptParts };
  }
  const accepted = 'put one: test {"a":1}, test.4 {"a":1}';
  const noting = (events: string[]) => (event: { what: string; id?: string }) =>
    void events.push(`${event.what} ${event.id}`);
  const inUnit = (unit: Unit, execute?: () => unknown): ActionGroup => ({
    ...{ unit, parallel: false, turns: null },
    actions: [createActionPlan(0, { unit, ...(execute && { execute }) })],
  });

  it('is enqueued last inside the transaction of the last group, after the response was built, and reported after the commit', async () => {
    const events: string[] = [];
    const unit = createRecordedTransaction(events);
    const reply = [
      createTestStep(async () => {
        await resolveLater(null);
        events.push('reply');
      }),
    ];
    const plan = createResourcePlan([createSingleGroup(0), inUnit(unit)], {
      reply,
      accepts: accepting(events),
      results: 2,
      main: 1,
    });
    await invokePlan(plan, createTestInvocation({ a: 1 }), { ...HOOKS, happening: noting(events) });
    expect(events).to.deep.equal([
      'open 1',
      'reply',
      `${accepted} in 1`,
      'put two: test.3 {"a":1} in 1',
      'commit 1',
      ...['test', 'test.4', 'test.3'].map((id) => `work-accepted ${id}`),
    ]);
  });

  it('is enqueued after the last group if that has no transaction, and after earlier transactions', async () => {
    for (const groups of [[createSingleGroup(0)], [inUnit(createRecordedTransaction([])), createSingleGroup(1)], []]) {
      const events: string[] = [];
      const plan = createResourcePlan(groups, { accepts: accepting(events) });
      await invokePlan(plan, createTestInvocation({ a: 1 }), HOOKS);
      expect(events, `${groups.length} groups`).to.deep.equal([
        `${accepted} in null`,
        'put two: test.3 {"a":1} in null',
      ]);
    }
  });

  it('is rolled back with the transaction, and rolls it back when it cannot be enqueued', async () => {
    const events: string[] = [];
    const unit = createRecordedTransaction(events);
    const plan = createResourcePlan(inUnit(unit), { accepts: accepting(events, { fails: true }) });
    const failure = await expectFault(invokePlan(plan, createTestInvocation({ a: 1 }), HOOKS));
    expect([failure.code, events]).to.deep.equal(['JOB_AWAY', ['open 1', 'rollback 1']]);
    const replying = createResourcePlan(inUnit(unit), {
      accepts: accepting(events),
      reply: [
        createTestStep(() => {
          throw createFault('TOK_UNFIT');
        }),
      ],
    });
    expect((await expectFault(invokePlan(replying, createTestInvocation({ a: 1 }), HOOKS))).code).to.equal('TOK_UNFIT');
    expect(events.slice(2)).to.deep.equal(['open 2', 'rollback 2']);
  });

  it('is not enqueued when the work before it fails', async () => {
    const events: string[] = [];
    const throwFault = (): never => {
      throw createFault('QRY_FAILED');
    };
    for (const group of [
      createSingleGroup(0, { execute: throwFault }),
      inUnit(createRecordedTransaction([]), throwFault),
    ])
      await expectFault(
        invokePlan(createResourcePlan(group, { accepts: accepting(events) }), createTestInvocation(), HOOKS),
      );
    expect(events).to.deep.equal([]);
  });

  it('has the storable payload, while the foreground work sees it as it was sent', async () => {
    const events: string[] = [];
    const seen: unknown[] = [];
    const seal = [
      createTestStep(async (frame) => {
        await resolveLater(null);
        frame.payload = { a: 'sealed' };
      }),
    ];
    const execute = (frame: Frame): unknown => seen.push(frame.payload);
    await invokePlan(
      createResourcePlan(createSingleGroup(0, { execute }), { accepts: accepting(events, { seal }) }),
      createTestInvocation({ a: 1 }),
      HOOKS,
    );
    expect(seen).to.deep.equal([{ a: 1 }]);
    expect(events[0]).to.equal('put one: test {"a":"sealed"}, test.4 {"a":"sealed"} in null');
  });

  it('returns 202 with its id if nothing else is returned, and the result otherwise', async () => {
    const ran: string[] = [];
    const rest = {
      reply: [createTestStep(() => void ran.push('reply'))],
      settle: [createTestStep(() => void ran.push('settle'))],
    };
    const answer = (whole: boolean) =>
      invokePlan(
        createResourcePlan(createSingleGroup(0, { execute: () => 'result' }), {
          ...rest,
          accepts: accepting([], { whole }),
        }),
        createTestInvocation(),
        HOOKS,
      );
    const { status, body } = await answer(true);
    expect([status, { ...(body as object) }, ran]).to.deep.equal([202, { accepted: true, id: 'test' }, []]);
    const other = await answer(false);
    expect([other.status, other.body, ran]).to.deep.equal([200, 'result', ['reply', 'settle']]);
  });
});

describe('invocation of background work', () => {
  const create = (headers: Record<string, string> = {}, rest: object = {}): BackgroundInvocation =>
    new BackgroundInvocation('job', 'one', 5, headers, '192.0.2.1', { a: 1 }, { timings: null, ...rest });

  it('has the headers stored with the job, and no others', () => {
    const invocation = create({ 'x-note': 'a' });
    expect([invocation.header('x-note'), invocation.header('x-other')]).to.deep.equal([['a'], []]);
    expect(invocation.header('constructor')).to.deep.equal([]);
  });

  it('has the stored payload, no bytes, no files and no connection', async () => {
    const invocation = create();
    expect(invocation.readPayload()).to.deep.equal({ a: 1 });
    expect(await invocation.readRawBody()).to.have.length(0);
    expect(invocation).to.deep.include({ files: [], texts: null, connection: null, trace: null });
    expect(invocation).to.deep.include({ id: 'one', trigger: 'job', startedAt: 5, remote: '192.0.2.1' });
    expect([invocation.attempt, invocation.origin]).to.deep.equal([1, {}]);
    expect(create({}, { attempt: 3, origin: { trace: 'a' } })).to.deep.include({ attempt: 3, origin: { trace: 'a' } });
  });

  it('releases its resources once, waits for all of them, and fails with the first failure', async () => {
    const invocation = create();
    const events: string[] = [];
    invocation.onFinish(async (answered) => {
      await resolveLater(null);
      events.push(`one ${answered}`);
      throw new Error('stuck');
    });
    invocation.onFinish((answered) => resolveLater(void events.push(`two ${answered}`)));
    const failure: unknown = await invocation.dispose(false).catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'stuck');
    expect(events).to.have.members(['one false', 'two false']);
    await invocation.dispose(true);
    expect(events).to.have.length(2);
  });
});
