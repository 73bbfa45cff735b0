/** One open connection: limits its messages, and closes slow or silent clients. */
import type { Socket } from 'node:net';
import { WebSocket, type RawData } from 'ws';
import type { ByteBudget, ByteHolder } from '../../../contract/byte-budget.js';
import type { Delivery } from '../../../contract/delivery.js';
import { createFault, type Fault } from '../../../contract/fault.js';
import type { Connection } from '../../../contract/plan.js';
import type { Sender } from '../../../contract/trigger.js';
import type { WebSocketConfig } from '../../../contract/websocket-config.js';
import type { JsonLimits } from '../../../language/strings/bounded-json.js';
import { ANONYMOUS, type AuthSession } from './auth-session.js';
import { measureFrames } from './frame-budget.js';
import type { Client } from './hub.js';
import type { Peer } from './invocation.js';
import { readMessage, SharedFrame, type Message } from './message.js';
import { CLOSE, NO_HEADERS, type PeerHeaders } from './peer.js';
import type { Worker } from './message-runner.js';

export interface ConnectionScope {
  readonly limits: WebSocketConfig['limits'];
  readonly json: JsonLimits;
  readonly worker: Pick<Worker, 'handle'>;
  readonly closing: () => boolean;
  readonly unfinished: ByteBudget;
  readonly onClose: (connection: SocketConnection, code: number) => void;
  /** Called with 1 when work begins and with -1 when it ends. */
  readonly onInFlightChange: (change: 1 | -1) => void;
  readonly join: (connection: SocketConnection, room: string) => boolean;
  readonly leave: (connection: SocketConnection, room: string) => void;
}

export type ConnectionOrigin = Pick<SocketConnection, 'id' | 'remote' | 'network' | 'sender'>;

const MAX_SILENT = 2;
/** Milliseconds to wait for the client's close frame. */
const PARTING_MS = 1000;

/** Pings and pongs per second. */
const SIGNS = 20;

/** Its listeners find the connection here, so that an idle connection holds no functions. */
export class ClientSocket extends WebSocket {
  connection?: SocketConnection | null = null;
}

const TEXT = { binary: false };

export class SocketConnection implements Client, Peer, Connection, ByteHolder {
  readonly id: string;
  readonly remote: string;
  readonly network: string;
  readonly sender: Sender;
  readonly openedAt = performance.now();
  uid: string | null = null;
  session: AuthSession = ANONYMOUS;
  waiting: Delivery[] | null = null;
  headers: PeerHeaders = NO_HEADERS;
  bytes = 0;
  private isCut = false;
  private isOpen = true;
  private isBegun = false;
  private active = 0;
  private silent = 0;
  private members: Set<string> | null = null;
  private queue: Message[] | null = null;
  private pace: RateLimiter | null = null;
  private signs: RateLimiter | null = null;

  constructor(
    private readonly socket: ClientSocket,
    private readonly raw: Socket,
    private readonly scope: ConnectionScope,
    origin: ConnectionOrigin,
  ) {
    ({ id: this.id, remote: this.remote, network: this.network, sender: this.sender } = origin);
    socket.connection = this;
    socket.pause();
    socket.on('message', receiveMessage).on('ping', receivePing).on('pong', receivePong);
    socket.on('error', ignoreError).on('close', finishConnection);
    // After the listener of `ws`, so that complete messages are gone.
    raw.on('data', () => this.isCut || scope.unfinished.setHeld(this, measureFrames(socket)));
  }

  get verified(): boolean {
    return this.session.verified;
  }
  get until(): number {
    return this.session.until;
  }
  get realms(): ReadonlyMap<string, number> {
    return this.session.realms;
  }
  get rooms(): Set<string> {
    return (this.members ??= new Set());
  }
  get isInRooms(): boolean {
    return this.members !== null && this.members.size > 0;
  }
  get connection(): Connection {
    return this;
  }

  join(room: string): boolean {
    return this.scope.join(this, room);
  }

  leave(room: string): void {
    this.scope.leave(this, room);
  }

  begin(headers: PeerHeaders): void {
    this.headers = headers;
    this.isBegun = true;
    if (this.isOpen) this.socket.resume();
  }

  receiveMessage(data: Buffer, isBinary: boolean): void {
    if (!this.isOpen || !this.isBegun) return;
    const { limits, json, closing } = this.scope;
    if (isBinary) return this.close(CLOSE.unsupported, 'messages are text');
    const outcome = (this.pace ??= createRateLimiter(limits.rate))(performance.now());
    if (outcome === 'flood') return this.close(CLOSE.policy, 'too many messages');
    const message = readMessage(data, json);
    if (outcome === 'over') return void this.sendResponse(message, createFault('WS_FLOOD', { max: limits.rate }));
    if (closing()) return void this.sendResponse(message, createFault('WS_CLOSING', {}, { retryable: true }));
    (this.queue ??= []).push(message);
    this.next();
  }

  receivePing(data: Buffer): void {
    const outcome = this.countSign();
    if (outcome === 'flood') this.close(CLOSE.policy, 'too many pings');
    else if (this.isOpen && this.socket.bufferedAmount > this.scope.limits.buffered) this.closeSlowConsumer();
    else if (this.isOpen && outcome === 'fine') this.socket.pong(data);
  }

  receivePong(): void {
    this.silent = 0;
    if (this.countSign() === 'flood') this.close(CLOSE.policy, 'too many pongs');
  }

  private countSign(): RateResult {
    return (this.signs ??= createRateLimiter(Math.max(this.scope.limits.rate, SIGNS)))(performance.now());
  }

  /** Pauses reading at the in-flight limit, because one chunk may contain many messages. */
  private next(): void {
    const { limits, onInFlightChange } = this.scope;
    while (this.active < limits.in_flight) {
      const message = this.queue?.shift();
      if (message === undefined) break;
      this.active += 1;
      onInFlightChange(1);
      void this.sendResponse(message).finally(() => {
        this.active -= 1;
        this.next();
        onInFlightChange(-1);
      });
    }
    if (this.active >= limits.in_flight) this.socket.pause();
    else if (this.socket.isPaused) this.socket.resume();
  }

  private async sendResponse(message: Message, refusal?: Fault): Promise<void> {
    const { frame, status, left } = await this.scope.worker.handle(message, this, refusal);
    this.send(frame, left);
    if (status === 401) this.recheckToken();
  }

  recheckToken(): void {
    this.session.recheck();
  }

  /** The buffer is checked before sending, because a single response may exceed the limit. */
  send(frame: Buffer | SharedFrame, left?: () => void): boolean {
    const { socket, raw, scope } = this;
    if (this.isOpen && socket.bufferedAmount > scope.limits.buffered) this.closeSlowConsumer();
    if (!this.isOpen) left?.();
    else if (!(frame instanceof SharedFrame)) socket.send(frame, TEXT, left);
    else if (socket.readyState === socket.OPEN) raw.write(frame.bytes, left);
    else left?.();
    return this.isOpen;
  }

  closeSlowConsumer(): void {
    this.close(CLOSE.later, 'messages are not read');
  }

  close(code: number, reason: string): void {
    if (!this.isOpen) return;
    const { socket } = this;
    this.markClosed();
    // The client's close frame must be read.
    socket.resume();
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), PARTING_MS).unref();
    this.scope.onClose(this, code);
  }

  finishConnection(code: number): void {
    this.scope.unfinished.setHeld(this, 0);
    const wasOpen = this.isOpen;
    this.markClosed();
    if (wasOpen) this.scope.onClose(this, code);
  }

  endHolder(): void {
    this.isCut = true;
    this.close(CLOSE.later, 'too many unfinished messages');
    this.raw.destroySoon();
  }

  private markClosed(): void {
    this.isOpen = false;
    this.queue = null;
  }

  /** Terminates a connection that did not reply to the last two pings. */
  sendPing(): void {
    // A paused socket cannot receive pongs.
    if (this.socket.isPaused) return;
    if (this.silent >= MAX_SILENT) return this.socket.terminate();
    this.silent += 1;
    this.socket.ping();
  }
}

/** `ws` closes the socket itself, with the matching code. */
const ignoreError = (): void => undefined;

function receiveMessage(this: ClientSocket, data: RawData, isBinary: boolean): void {
  this.connection?.receiveMessage(data as Buffer, isBinary);
}
function receivePing(this: ClientSocket, data: Buffer): void {
  this.connection?.receivePing(data);
}
function receivePong(this: ClientSocket): void {
  this.connection?.receivePong();
}
function finishConnection(this: ClientSocket, code: number): void {
  this.connection?.finishConnection(code);
}

/** `over`: reject this one. `flood`: close the connection. */
type RateResult = 'fine' | 'over' | 'flood';
type RateLimiter = (now: number) => RateResult;

/** `flood` begins at this multiple of the rate. */
const FLOOD_RATE = 5;

/**
 * A token bucket: a sustained rate with a burst, and `flood` for persistent abusers. `rate` is per second; `now` in
 * milliseconds.
 */
export function createRateLimiter(rate: number): RateLimiter {
  let allowance = rate;
  let excess = 0;
  let last = -Infinity;
  return (now) => {
    const gained = ((now - last) / 1000) * rate;
    last = now;
    allowance = Math.min(rate, allowance + gained);
    excess = Math.max(0, excess - gained);
    if (allowance >= 1) {
      allowance -= 1;
      return 'fine';
    }
    excess += 1;
    return excess > (FLOOD_RATE - 1) * rate ? 'flood' : 'over';
  };
}
