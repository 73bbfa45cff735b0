/** One connection while it is open, without a network: pace, work under way, silence, a reader that rests, and its end. */
import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import type { Socket } from 'node:net';
import { createByteBudget } from '../../../contract/byte-budget.js';
import type { Fault } from '../../../contract/fault.js';
import { SocketConnection, type ClientSocket } from '../../../plugins/triggers/websocket/connection.js';
import { ANONYMOUS } from '../../../plugins/triggers/websocket/auth-session.js';
import { NO_HEADERS } from '../../../plugins/triggers/websocket/peer.js';
import { SharedFrame, type Message } from '../../../plugins/triggers/websocket/message.js';
import type { HandledMessage } from '../../../plugins/triggers/websocket/message-runner.js';

const LIMITS = {
  unfinished: 1_000_000,
  rate: 2,
  in_flight: 2,
  buffered: 100,
  connections: 1,
  per_address: 1,
  rooms: 1,
  message: 1,
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A socket that records its calls, and work that the test ends. */
function setUp(rest: Partial<typeof LIMITS> = {}) {
  const [done, busy, ended, lefts]: [unknown[], number[], number[], unknown[]] = [[], [], [], []];
  const note = (name: string, ...given: unknown[]): void => void done.push([name, ...given].join(' '));
  const socket = Object.assign(new EventEmitter(), {
    ...{ isPaused: false, bufferedAmount: 0, readyState: 1, OPEN: 1 },
    pause: () => void (socket.isPaused = true),
    resume: () => void (socket.isPaused = false),
    send: (frame: Buffer, _options: unknown, left?: () => void) => (note('send', frame.toString()), left?.()),
    close: (code: number, reason: string) => note('close', code, reason),
    terminate: () => note('terminate'),
    ping: () => note('ping'),
    pong: (data: Buffer) => note('pong', data.toString()),
  });
  const state = { closing: false, status: 200, doubts: 0 };
  const begun: { readonly message: Message; readonly end: () => void }[] = [];
  const scope = {
    limits: { ...LIMITS, ...rest },
    json: { depth: 5, keys: 5, array: 5 },
    worker: {
      handle: (message: Message, _peer: unknown, rejection?: Fault): Promise<HandledMessage> => {
        const frame = Buffer.from(rejection?.code ?? message.resource);
        const worked = (): HandledMessage => ({
          frame,
          status: state.status,
          left: () => void lefts.push(frame.toString()),
        });
        if (rejection !== undefined) return Promise.resolve(worked());
        return new Promise((resolve) => begun.push({ message, end: () => resolve(worked()) }));
      },
    },
    closing: () => state.closing,
    unfinished: createByteBudget(LIMITS.unfinished),
    onClose: (_: unknown, code: number) => void ended.push(code),
    onInFlightChange: (change: number) => void busy.push(change),
    join: () => true,
    leave: () => undefined,
  };
  const origin = { id: 'a', remote: '127.0.0.1', network: '127.0.0.1', sender: 'own' } as const;
  const raw = Object.assign(new EventEmitter(), {
    write: (bytes: Buffer, left?: () => void) => (note('write', bytes.subarray(2).toString()), left?.()),
  });
  const line = new SocketConnection(socket as unknown as ClientSocket, raw as unknown as Socket, scope, origin);
  line.session = { ...ANONYMOUS, recheck: () => void (state.doubts += 1) };
  const emitMessage = (resource: string, isBinary = false) =>
    socket.emit('message', Buffer.from(JSON.stringify({ resource })), isBinary);
  return { line, socket, state, begun, done, busy, ended, lefts, say: emitMessage };
}
type Line = ReturnType<typeof setUp>;
const begun = (rest: Partial<typeof LIMITS> = {}): Line => {
  const made = setUp(rest);
  made.line.begin(NO_HEADERS);
  return made;
};
const names = ({ begun: work }: Line): string[] => work.map(({ message }) => message.resource);

describe('socket connection', () => {
  // The rate is measured by this clock, which does not advance.
  beforeEach(() => void Object.assign(performance, { now: () => 0 }));
  afterEach(() => void Reflect.deleteProperty(performance, 'now'));

  it('reads nothing before it begins', () => {
    const made = setUp();
    expect(made.socket.isPaused).to.equal(true);
    made.say('early');
    made.line.begin(NO_HEADERS);
    expect([made.socket.isPaused, names(made)]).to.deep.equal([false, []]);
  });

  it('responds to each message, and reports when the response was sent and whether a token was missing', async () => {
    const made = begun();
    made.say('a');
    expect([names(made), made.busy]).to.deep.equal([['a'], [1]]);
    made.begun[0]?.end();
    await turn();
    expect([made.done, made.lefts, made.busy, made.state.doubts]).to.deep.equal([['send a'], ['a'], [1, -1], 0]);
    made.state.status = 401;
    made.say('b');
    made.begun[1]?.end();
    await turn();
    expect(made.state.doubts).to.equal(1);
  });

  it('handles a limited number at once, and reads no more meanwhile', async () => {
    const made = begun({ rate: 10 });
    for (const name of ['a', 'b', 'c']) made.say(name);
    expect([names(made), made.socket.isPaused]).to.deep.equal([['a', 'b'], true]);
    made.begun[0]?.end();
    await turn();
    expect([names(made), made.socket.isPaused]).to.deep.equal([['a', 'b', 'c'], true]);
    made.begun[1]?.end();
    await turn();
    expect(made.socket.isPaused).to.equal(false);
  });

  it('rejects messages above the rate, and closes on a flood', async () => {
    const made = begun();
    for (let i = 0; i < 4; i++) made.say('a');
    await turn();
    expect([names(made), made.done]).to.deep.equal([
      ['a', 'a'],
      ['send WS_FLOOD', 'send WS_FLOOD'],
    ]);
    for (let i = 0; i < 7; i++) made.say('a');
    expect([made.done.at(-1), made.ended]).to.deep.equal(['close 1008 too many messages', [1008]]);
  });

  it('closes on a message that is not text', () => {
    const made = begun();
    made.say('a', true);
    expect([made.done, made.ended, names(made)]).to.deep.equal([['close 1003 messages are text'], [1003], []]);
  });

  it('begins nothing new while the server stops', async () => {
    const made = begun();
    made.state.closing = true;
    made.say('a');
    await turn();
    expect([names(made), made.done]).to.deep.equal([[], ['send WS_CLOSING']]);
  });

  it('closes once, discards what waits, and sends no response after it', async () => {
    const made = begun({ rate: 10 });
    for (const name of ['a', 'b', 'c']) made.say(name);
    made.line.close(1001, 'bye');
    made.line.close(1002, 'again');
    made.socket.emit('close', 1005);
    made.say('d');
    for (const { end } of made.begun) end();
    await turn();
    expect([made.done, made.ended, names(made)]).to.deep.equal([['close 1001 bye'], [1001], ['a', 'b']]);
    // Pending sends are rejected on close.
    expect([made.lefts, made.busy]).to.deep.equal([
      ['a', 'b'],
      [1, 1, -1, -1],
    ]);
    let left = 0;
    expect([made.line.send(Buffer.from('x'), () => void left++), left]).to.deep.equal([false, 1]);
  });

  it('closes with the code of the client', () => {
    const made = begun();
    made.socket.emit('close', 1005);
    expect([made.ended, made.done]).to.deep.equal([[1005], []]);
    made.socket.emit('error', new Error('broken'));
  });

  it('is closed if its messages are not read, and not before the limit of waiting ones', () => {
    const made = begun();
    made.socket.bufferedAmount = 100;
    expect(made.line.send(Buffer.from('x'))).to.equal(true);
    made.socket.bufferedAmount = 101;
    expect(made.line.send(Buffer.from('y'))).to.equal(false);
    expect([made.done, made.ended]).to.deep.equal([['send x', 'close 1013 messages are not read'], [1013]]);
  });

  it('writes the bytes of a message to many, and none after a close frame', () => {
    const made = begun();
    let left = 0;
    const send = (): boolean => made.line.send(new SharedFrame(Buffer.from('x')), () => void left++);
    expect([send(), made.done, left]).to.deep.equal([true, ['write x'], 1]);
    made.socket.readyState = 2;
    expect([send(), made.done, left]).to.deep.equal([true, ['write x'], 2]);
  });

  it('is pinged, and closed after two pings without a response', () => {
    const made = begun();
    for (let i = 0; i < 2; i++) made.line.sendPing();
    made.socket.emit('pong');
    for (let i = 0; i < 3; i++) made.line.sendPing();
    expect(made.done).to.deep.equal(['ping', 'ping', 'ping', 'ping', 'terminate']);
    // A client that is not read cannot send a pong.
    const resting = begun();
    resting.socket.pause();
    for (let i = 0; i < 4; i++) resting.line.sendPing();
    expect(resting.done).to.deep.equal([]);
  });

  it('responds to pings up to a rate, and closes on a flood of them', () => {
    const signs = (event: string, count: number, rest: Partial<typeof LIMITS> = {}, waiting = 0): unknown[] => {
      const made = begun(rest);
      made.socket.bufferedAmount = waiting;
      for (let i = 0; i < count; i++) made.socket.emit(event, Buffer.from('p'));
      return made.done;
    };
    expect(signs('ping', 20)).to.have.lengthOf(20);
    expect(signs('ping', 90)).to.deep.equal(Array(20).fill('pong p'));
    expect(signs('ping', 40, { rate: 30 })).to.have.lengthOf(30);
    expect(signs('ping', 105).at(-1)).to.equal('close 1008 too many pings');
    expect(signs('pong', 90)).to.deep.equal([]);
    expect(signs('pong', 105)).to.deep.equal(['close 1008 too many pongs']);
    expect(signs('ping', 1, {}, 100)).to.deep.equal(['pong p']);
    expect(signs('ping', 2, {}, 101)).to.deep.equal(['close 1013 messages are not read']);
  });
});
