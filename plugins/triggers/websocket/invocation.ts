/** A WebSocket message as an invocation with the upgrade's headers. */
import { createFault } from '../../../contract/fault.js';
import type { Connection, Invocation, Payload, UploadedFile } from '../../../contract/plan.js';
import { runCleanups, type Cleanup } from '../../../contract/cleanup.js';
import { mergeParameters } from '../../../contract/invocation.js';
import type { Sender } from '../../../contract/trigger.js';
import type { PeerHeaders } from './peer.js';

/** What all messages of a connection share. */
export interface Peer {
  readonly headers: PeerHeaders;
  readonly remote: string;
  readonly sender: Sender;
  readonly connection: Connection;
}

export interface MessageMeta {
  readonly id: string;
  readonly startedAt: number;
  /** Monotonic time. */
  readonly deadline: number;
  readonly payload: unknown;
  /** Path parameters of the resource, by name. */
  readonly parameters: Readonly<Record<string, string>> | null;
  readonly timed: boolean;
}

const NO_FILES: readonly UploadedFile[] = Object.freeze([]);
const NOTHING: Payload = Object.freeze({});

export class SocketInvocation implements Invocation {
  readonly id: string;
  readonly trigger = 'websocket';
  readonly startedAt: number;
  deadline: number;
  readonly texts: ReadonlySet<string> | null;
  readonly timings: Invocation['timings'];
  readonly files = NO_FILES;
  readonly connection: Connection;
  readonly remote: string;
  readonly headers: Invocation['headers'];
  readonly header: Invocation['header'];
  trace: Readonly<Record<string, string>> | null = null;
  #held: Cleanup[] | null = null;

  constructor(
    private readonly arrival: MessageMeta,
    peer: Peer,
  ) {
    const { id, startedAt, deadline, parameters, timed } = arrival;
    this.id = id;
    this.startedAt = startedAt;
    this.deadline = deadline;
    this.texts = parameters === null ? null : new Set(Object.keys(parameters));
    this.timings = timed ? [] : null;
    this.connection = peer.connection;
    this.remote = peer.remote;
    this.headers = peer.headers.all;
    this.header = peer.headers.values;
  }

  extendDeadline(milliseconds: number): void {
    this.deadline += milliseconds;
  }

  readRawBody(): Promise<never> {
    return Promise.reject(createFault('WS_REQUEST_ONLY'));
  }

  readPayload(): Payload {
    const { payload = NOTHING, parameters } = this.arrival;
    if (typeof payload !== 'object' || payload === null) throw createFault('VAL_NOT_OBJECT');
    const sent = this.#addressed(payload as Payload);
    return parameters === null ? sent : mergeParameters(sent, parameters);
  }

  onFinish(work: Cleanup): void {
    (this.#held ??= []).push(work);
  }

  async dispose(answered: boolean): Promise<void> {
    const held = this.#held;
    this.#held = null;
    if (held !== null) await runCleanups(held, answered);
  }

  /** The connection's uid is the default `id`: an address, not an authenticated identity. */
  #addressed(payload: Payload): Payload {
    const { uid } = this.connection;
    if (uid === null || Array.isArray(payload) || Object.hasOwn(payload, 'id')) return payload;
    return { ...payload, id: uid };
  }
}
