/** Rooms and broadcasts without a connection: recipients, contents of a message, and that both wait for the commit. */
import { expect } from 'chai';
import type { Delivery } from '../../../contract/delivery.js';
import { createFault } from '../../../contract/fault.js';
import type { Json } from '../../../contract/json.js';
import type { Frame, PlanTools } from '../../../contract/plan.js';
import type { PluginRuntime, RuntimeContext } from '../../../contract/plugin.js';
import { RawJson } from '../../../contract/raw-json.js';
import { ActionPhase } from '../../../contract/slot.js';
import all from '../../../plugins/broadcasts/all/runtime.js';
import bulk from '../../../plugins/broadcasts/bulk/runtime.js';
import room from '../../../plugins/broadcasts/room/runtime.js';
import single from '../../../plugins/broadcasts/single/runtime.js';
import message from '../../../plugins/features/broadcast-websocket-message/runtime.js';
import { readsResults } from '../../../plugins/features/shared/reads-results.js';
import { createRoomSteps } from '../../../plugins/features/shared/rooms.js';
import type { Broadcast } from '../../../plugins/broadcasts/kind.js';
import { catchThrownFault, createPayloadFrame, createFrameTools } from '../../support/frame-tools.js';

type DefinitionJson = Readonly<Record<string, Json>>;

const resolveTarget = (
  runtime: PluginRuntime<Broadcast>,
  written: DefinitionJson,
  payload: DefinitionJson = {},
): unknown => runtime.create?.({} as RuntimeContext).plan(written, receiving)(createPayloadFrame(payload));
const OF = { realm: 'r', open: false };
const receiving = { ...createFrameTools(), resolveUidNamespace: () => OF };

describe('recipients of a message', () => {
  it('are all, one, those of a list, or those in rooms, each once', () => {
    expect(resolveTarget(all, {})).to.deep.equal({ all: true });
    expect(resolveTarget(single, { broadcast_to: '$PAYLOAD.a' }, { a: 7 })).to.deep.equal({ uids: ['7'], of: OF });
    expect(resolveTarget(bulk, { broadcast_to: '$PAYLOAD.a' }, { a: ['x', 7, '7', 'x'] })).to.deep.equal({
      uids: ['x', '7'],
      of: OF,
    });
    expect(resolveTarget(bulk, { broadcast_to: '$PAYLOAD.a' }, { a: [] })).to.deep.equal({ uids: [], of: OF });
    expect(resolveTarget(room, { broadcast_to_room: '$PAYLOAD.a' }, { a: 'x' })).to.deep.equal({ rooms: ['[["x"]]'] });
    expect(resolveTarget(room, { broadcast_to_room: ['x', '$PAYLOAD.a', 'y'] }, { a: 'x' })).to.deep.equal({
      rooms: ['x', '[["x"]]', 'y'],
    });
  });

  it('use the text of a variable in a room name like any other text', () => {
    expect(resolveTarget(room, { broadcast_to_room: 'news-$ENV.KEY' })).to.deep.equal({ rooms: ['news-key'] });
    expect(resolveTarget(room, { broadcast_to_room: '$ENV.KEY' })).to.deep.equal({ rooms: ['key'] });
  });

  const NONE = [null, undefined, '', true, {}, [], NaN, Infinity, 'x'.repeat(257)];
  it('have names of 1 to 256 characters, or numbers', () => {
    for (const a of ['x', 'x'.repeat(256), 0, -1.5])
      expect(resolveTarget(single, { broadcast_to: '$PAYLOAD.a' }, { a })).to.deep.equal({ uids: [String(a)], of: OF });
    for (const a of NONE as Json[]) {
      const reported = [
        [single, { broadcast_to: '$PAYLOAD.a' }, a],
        [bulk, { broadcast_to: '$PAYLOAD.a' }, ['x', a]],
        [room, { broadcast_to_room: ['x', '$PAYLOAD.a'] }, a],
      ] as const;
      for (const [runtime, written, value] of reported) {
        const { code, params } = catchThrownFault(() => resolveTarget(runtime, written, { a: value }));
        expect([code, params['field']]).to.deep.equal(['BRC_RECEIVER', Object.keys(written)[0]]);
      }
    }
    for (const runtime of [single, room])
      expect(catchThrownFault(() => resolveTarget(runtime, {})).code).to.equal('BRC_RECEIVER');
  });

  it('are a list of at most 10 000', () => {
    const createNumbers = (count: number): Json => Array.from({ length: count }, (_, n) => n);
    const to = { broadcast_to: '$PAYLOAD.a' };
    expect((resolveTarget(bulk, to, { a: createNumbers(10_000) }) as { uids: unknown[] }).uids).to.have.length(10_000);
    expect(catchThrownFault(() => resolveTarget(bulk, to, { a: createNumbers(10_001) })).code).to.equal('BRC_MANY');
    for (const a of ['x', null, {}])
      expect(catchThrownFault(() => resolveTarget(bulk, to, { a })).code).to.equal('BRC_LIST');
  });
});

/** A frame whose commit the test triggers. */
function createHeldFrame(payload: object, connection: unknown = null) {
  const waiting: (() => Promise<void>)[] = [];
  const frame = {
    payload,
    slots: [],
    invocation: { connection },
    afterCommit: (work: () => void | Promise<void>) => void waiting.push(async () => work()),
  } as unknown as Frame;
  return { frame, commit: async () => void (await Promise.all(waiting.splice(0).map((work) => work()))) };
}

const toolsWith = (names: readonly string[], rest: Partial<PlanTools> = {}): PlanTools => ({
  ...createFrameTools(),
  allocateSlot: () => 0,
  slot: (name) => (names.includes(name) ? 1 : null),
  ...rest,
});

describe('send definition', () => {
  it('reads a result if one of its accessors is a name set from a result, at any depth', () => {
    const tools = { slot: (name: string) => (name === 'late' ? 0 : null) };
    for (const json of ['$PAYLOAD.late', 'a $PAYLOAD.late.b', ['x', '$PAYLOAD.late'], { a: { b: ['$PAYLOAD.late'] } }])
      expect(readsResults(json, tools), JSON.stringify(json)).to.equal(true);
    for (const json of ['late', '$PAYLOAD.a', '$PAYLOAD.a.late', [], {}, null, 7, undefined, ['$PAYLOAD.a']])
      expect(readsResults(json, tools), JSON.stringify(json)).to.equal(false);
  });
});

describe('rooms of a connection', () => {
  function trial(
    field: 'join_room' | 'leave_room',
    written: Json,
    payload: object,
    { names = [] as string[], full = '' } = {},
  ) {
    const moved: string[] = [];
    const connection = {
      join: (name: string) => name !== full && moved.push(`+${name}`) > 0,
      leave: (name: string) => void moved.push(`-${name}`),
    };
    const steps = createRoomSteps(field, written, toolsWith(names)).toSorted((a, b) => b.phase - a.phase);
    const { frame, commit } = createHeldFrame(payload, connection);
    const run = async (): Promise<void> => {
      for (const step of steps.toReversed()) await step.run(frame, { result: null });
    };
    return { moved, frame, steps, run, commit };
  }

  it('are joined or left after the commit', async () => {
    for (const [field, sign] of [
      ['join_room', '+'],
      ['leave_room', '-'],
    ] as const) {
      const { moved, run, commit } = trial(field, ['a', '$PAYLOAD.b'], { b: 5 });
      await run();
      expect(moved).to.deep.equal([]);
      await commit();
      expect(moved).to.deep.equal([`${sign}a`, `${sign}[["5"]]`]);
    }
  });

  it('are resolved before the work, or after it if the result sets the name', async () => {
    for (const names of [[], ['b']]) {
      const { moved, frame, steps, commit } = trial('join_room', '$PAYLOAD.b', { b: 'early' }, { names });
      const [settle] = steps.filter(({ phase }) => phase === 700);
      for (const step of steps) if (step !== settle) await step.run(frame, { result: null });
      frame.payload = { b: 'late' };
      await settle?.run(frame, { result: null });
      await commit();
      expect(moved).to.deep.equal([names.length === 0 ? '+[["early"]]' : '+[["late"]]']);
    }
  });

  it('reject a request without a connection, and a room beyond the limit', async () => {
    const [asked] = createRoomSteps('join_room', 'a', toolsWith([])).filter(({ phase }) => phase > 1000);
    expect(catchThrownFault(() => void asked?.run(createHeldFrame({}).frame, { result: null })).code).to.equal(
      'WS_NO_CONNECTION',
    );
    const { run, commit } = trial('join_room', ['a', 'b'], {}, { full: 'b' });
    await run();
    expect(await commit().catch((error: { code?: string }) => error.code)).to.equal('WS_ROOMS_FULL');
  });
});

describe('message about a result', () => {
  interface Trial {
    readonly holder?: DefinitionJson;
    readonly owner?: DefinitionJson;
    readonly secrets?: readonly string[];
    readonly to?: object;
    /** With which the relay rejects. */
    readonly failure?: Error | null;
  }
  interface SendResult {
    readonly messages: Delivery[];
    readonly reported: string[];
  }
  async function send(
    result: unknown,
    { holder = {}, owner = {}, secrets = [], to = { all: true }, failure = null }: Trial = {},
  ): Promise<SendResult> {
    const messages: Delivery[] = [];
    const reported: string[] = [];
    const createRecorder = (level: string) => (_fields: object, text: string) =>
      void reported.push(`${level}: ${text}`);
    const context = {
      log: { debug: createRecorder('debug'), error: createRecorder('error') },
      resolve: (_kind: unknown, name: string) =>
        name === 'relay'
          ? {
              publish: (one: Delivery) =>
                failure === null ? Promise.resolve(void messages.push(one)) : Promise.reject(failure),
            }
          : { plan: () => () => to },
    } as unknown as RuntimeContext;
    const value = { broadcast_websocket_message: { action: 'changed', broadcast_type: 'ALL' } };
    const tools = toolsWith([], { owner, allSecrets: new Set(secrets), place: 'p' });
    const { steps } = message.create!(context).plan({ slot: 'actionable', value, holder, pointer: '' }, tools);
    const { frame, commit } = createHeldFrame({});
    for (const step of steps) await step.run(frame, { result });
    expect(messages, 'before the commit').to.deep.equal([]);
    await commit();
    await new Promise((resolve) => setImmediate(resolve));
    return { messages, reported };
  }
  const listSentMessages = async (result: unknown, rest: Trial = {}): Promise<unknown> =>
    (await send(result, rest)).messages[0]?.data;

  it('contains its action, its recipients and the result', async () => {
    const { messages } = await send({ a: 1 });
    expect(messages).to.deep.equal([{ action: 'changed', data: { a: 1 }, to: { all: true }, id: null }]);
    expect(await listSentMessages(undefined)).to.equal(null);
    expect(await listSentMessages(new RawJson(Buffer.from('[{"a":1}]'), () => null))).to.deep.equal([{ a: 1 }]);
    expect(await listSentMessages({ at: new Date(0) })).to.deep.equal({ at: '1970-01-01T00:00:00.000Z' });
  });

  it('resolves its recipients before the work, or after it if the result sets the name', async () => {
    for (const names of [[], ['b']]) {
      const relay: Delivery[] = [];
      const context = {
        log: {},
        resolve: (_kind: unknown, name: string) =>
          name === 'relay'
            ? { publish: (one: Delivery) => Promise.resolve(void relay.push(one)) }
            : { plan: () => (frame: Frame) => ({ uids: [frame.payload['b']] }) },
      } as unknown as RuntimeContext;
      const written = { action: 'changed', broadcast_type: 'SINGLE', broadcast_to: '$PAYLOAD.b' };
      const place = { slot: 'actionable', value: { broadcast_websocket_message: written }, holder: {}, pointer: '' };
      const { steps } = message.create!(context).plan(place, toolsWith(names, { owner: {}, allSecrets: new Set() }));
      const { frame, commit } = createHeldFrame({ b: 'early' });
      const [settle] = steps.filter(({ phase }) => phase === ActionPhase.SETTLE);
      for (const step of steps) if (step !== settle) await step.run(frame, { result: null });
      frame.payload = { b: 'late' };
      await settle?.run(frame, { result: null });
      await commit();
      expect(relay.map(({ to }) => to)).to.deep.equal([{ uids: [names.length === 0 ? 'early' : 'late'] }]);
    }
  });

  it('is not sent without a recipient', async () => {
    expect((await send({}, { to: { uids: [] } })).messages).to.deep.equal([]);
    expect((await send({}, { to: { uids: ['a'] } })).messages).to.have.length(1);
  });

  it('shows the names of its own list, else of the resource, and only listed secrets', async () => {
    const result = { a: 1, b: 2, p: 3 };
    const secrets = ['p'];
    expect(await listSentMessages(result, { secrets })).to.deep.equal({ a: 1, b: 2 });
    expect(await listSentMessages(result, { secrets, owner: { returnables: ['a', 'p'] } })).to.deep.equal({
      a: 1,
      p: 3,
    });
    expect(await listSentMessages([result], { secrets, owner: { returnables: ['a'] } })).to.deep.equal([{ a: 1 }]);
    expect(
      await listSentMessages(result, { secrets, holder: { returnables: ['p'] }, owner: { returnables: ['a'] } }),
    ).to.deep.equal(result);
  });

  it('is only logged if it cannot be sent', async () => {
    expect((await send({}, { failure: createFault('RLY_AWAY') })).reported).to.deep.equal([
      'debug: message sent only to clients of this process',
    ]);
    for (const failure of [createFault('OTHER'), new Error('x')])
      expect((await send({}, { failure })).reported).to.deep.equal(['error: message to connected clients not sent']);
  });
});
