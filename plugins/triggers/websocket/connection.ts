/** One open connection: limits its messages, and closes slow or silent clients. */
import type { RawData, WebSocket } from 'ws';
import { createFault, type Fault } from '../../../contract/fault.js';
import type { WebSocketConfig } from '../../../contract/websocket-config.js';
import type { JsonLimits } from '../../../language/strings/bounded-json.js';
import type { Client } from './hub.js';
import type { Peer } from './invocation.js';
import { readMessage, type Message } from './message.js';
import { CLOSE } from './peer.js';
import type { Worker } from './message-runner.js';

export interface SocketConnectionInput {
  readonly limits: WebSocketConfig['limits'];
  readonly json: JsonLimits;
  readonly worker: Worker;
  readonly closing: () => boolean;
  /** Called after a 401 response. */
  readonly onUnauthorized: () => void;
  readonly onClose: (code: number) => void;
  /** Called with 1 when work begins and with -1 when it ends. */
  readonly onInFlightChange: (change: 1 | -1) => void;
}

export interface SocketConnection extends Pick<Client, 'send' | 'closeSlowConsumer'> {
  /** Starts to accept messages. */
  begin(peer: Peer): void;
  /** Terminates a connection that did not reply to the last two pings. */
  sendPing(): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

const MAX_SILENT = 2;
/** Milliseconds to wait for the client's close frame. */
const PARTING_MS = 1000;

/** Pings and pongs per second. */
const SIGNS = 20;

/** The socket is paused until `begin`. */
export function createSocketConnection(socket: WebSocket, input: SocketConnectionInput): SocketConnection {
  const { limits, json, worker, closing, onUnauthorized, onClose, onInFlightChange } = input;
  const pace = createRateLimiter(limits.rate);
  const signs = createRateLimiter(Math.max(limits.rate, SIGNS));
  const queue: Message[] = [];
  let peer: Peer | null = null;
  let active = 0;
  let silent = 0;
  let isOpen = true;

  socket.pause();
  socket.on('message', (data: RawData, isBinary: boolean) => {
    if (!isOpen || peer === null) return;
    if (isBinary) return close(CLOSE.unsupported, 'messages are text');
    const outcome = pace(performance.now());
    if (outcome === 'flood') return close(CLOSE.policy, 'too many messages');
    const message = readMessage(data as Buffer, json);
    if (outcome === 'over') return void respond(message, peer, createFault('WS_FLOOD', { max: limits.rate }));
    if (closing()) return void respond(message, peer, createFault('WS_CLOSING', {}, { retryable: true }));
    queue.push(message);
    next();
  });
  socket.on('ping', (data: Buffer) => {
    const outcome = signs(performance.now());
    if (outcome === 'flood') close(CLOSE.policy, 'too many pings');
    else if (isOpen && socket.bufferedAmount > limits.buffered) closeSlowConsumer();
    else if (isOpen && outcome === 'fine') socket.pong(data);
  });
  socket.on('pong', () => {
    silent = 0;
    if (signs(performance.now()) === 'flood') close(CLOSE.policy, 'too many pongs');
  });
  // `ws` closes the socket itself, with the matching code.
  socket.on('error', () => undefined);
  socket.on('close', (code) => {
    const wasOpen = isOpen;
    isOpen = false;
    queue.length = 0;
    if (wasOpen) onClose(code);
  });

  /** Pauses reading at the in-flight limit, because one chunk may contain many messages. */
  function next(): void {
    while (peer !== null && active < limits.in_flight) {
      const message = queue.shift();
      if (message === undefined) break;
      active += 1;
      onInFlightChange(1);
      void respond(message, peer).finally(() => {
        active -= 1;
        next();
        onInFlightChange(-1);
      });
    }
    if (active >= limits.in_flight) socket.pause();
    else if (socket.isPaused && peer !== null) socket.resume();
  }

  async function respond(message: Message, from: Peer, refusal?: Fault): Promise<void> {
    const { frame, status, left } = await worker.handle(message, from, refusal);
    write(frame, left);
    if (status === 401) onUnauthorized();
  }

  /** The buffer is checked before sending, because a single response may exceed the limit. */
  function write(frame: Buffer, left: () => void): boolean {
    if (isOpen && socket.bufferedAmount > limits.buffered) closeSlowConsumer();
    if (isOpen) socket.send(frame, { binary: false }, left);
    else left();
    return isOpen;
  }

  function closeSlowConsumer(): void {
    close(CLOSE.later, 'messages are not read');
  }

  function close(code: number, reason: string): void {
    if (!isOpen) return;
    isOpen = false;
    queue.length = 0;
    // The client's close frame must be read.
    socket.resume();
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), PARTING_MS).unref();
    onClose(code);
  }

  return {
    begin(from) {
      peer = from;
      if (isOpen) socket.resume();
    },
    send: (frame, left = () => undefined) => write(frame, left),
    closeSlowConsumer,
    close,
    sendPing() {
      // A paused socket cannot receive pongs.
      if (socket.isPaused) return;
      if (silent >= MAX_SILENT) return socket.terminate();
      silent += 1;
      socket.ping();
    },
    terminate: () => socket.terminate(),
  };
}

/** `over`: reject this one. `flood`: close the connection. */
type RateResult = 'fine' | 'over' | 'flood';

/** `flood` begins at this multiple of the rate. */
const FLOOD_RATE = 5;

/**
 * A token bucket: a sustained rate with a burst, and `flood` for persistent abusers. `rate` is per second; `now` in
 * milliseconds.
 */
export function createRateLimiter(rate: number): (now: number) => RateResult {
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
