/**
 * The hooks, and the registrar through which plugins tap them. A hook is for behaviour that applies to every request;
 * behaviour that depends on a field of a definition is a compiled step instead.
 */
import type { Delivery } from './deferred.js';
import type { Json } from './json.js';
import type { ActionTiming, Frame, Invocation } from './plan.js';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What observers receive after the response was sent. It contains no values of the request. */
export interface InvocationRecord {
  readonly id: string;
  readonly trigger: string;
  readonly resource: string | undefined;
  /** Path of the resource as its definition writes it. */
  readonly path: string | undefined;
  /** The method of an HTTP request. */
  readonly method: string | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly status: number;
  /** Problem code of a rejected or failed request. */
  readonly code: string | undefined;
  readonly milliseconds: number;
  /** In the order in which they ended; empty where none ran. */
  readonly actions: readonly ActionTiming[];
  /** The attempt number of a background job. */
  readonly attempt?: number;
}

/** Telemetry events outside requests: definition names, ids, codes and numbers, never request values or uids. */
export type Happening =
  /** `open`: the current number of connections. */
  | { readonly what: 'connection-opened'; readonly id: string; readonly open: number }
  | {
      readonly what: 'connection-closed';
      readonly id: string;
      readonly open: number;
      /** Close code of RFC 6455. */
      readonly code: number;
      readonly milliseconds: number;
    }
  /** A definition sent a message to connected clients, in any process. */
  | { readonly what: 'message-sent'; readonly action: string }
  /** A message was delivered to connections of this process; `dropped` counts those too slow to receive it. */
  | {
      readonly what: 'message-delivered';
      readonly action: string;
      readonly receivers: number;
      readonly dropped: number;
    }
  | { readonly what: 'work-accepted'; readonly id: string; readonly resource: string; readonly part: string }
  /** A job attempt finished. Attempts lost in a crash carry no names of definitions. */
  | {
      readonly what: 'work-ended';
      readonly id: string;
      readonly resource: string | undefined;
      readonly part: string | undefined;
      readonly attempt: number | undefined;
      /** `again`: a retry follows. */
      readonly outcome: 'done' | 'again' | 'dead';
      readonly code: string | undefined;
    }
  /** The scheduler did not start a run: the previous one is still active, or the run was due too long ago. */
  | {
      readonly what: 'run-skipped' | 'run-missed';
      readonly resource: string;
      /** Key of the actionable. */
      readonly key: string;
      /** Milliseconds since 1970. */
      readonly instant: number;
    };

/** Ends a bail hook or a list of steps with a value. `null` and `undefined` are legal results, so they cannot be the signal. */
export class Done {
  constructor(readonly value: unknown) {}
}
export const done = (value: unknown): Done => new Done(value);

/** Signatures of the taps, by hook name. */
export interface HookTaps {
  configure: (config: Json) => Json;
  compile: (resource: { readonly id: string; readonly definition: Json }) => void;
  ready: (kernel: { readonly resources: readonly string[] }) => Promise<void> | void;
  close: (reason: string) => Promise<void> | void;
  accept: (invocation: Invocation) => Promise<Done | void> | Done | void;
  'before-validate': (frame: Frame, action: { readonly key: string; readonly mode: string }) => Promise<void> | void;
  reply: (reply: Reply, invocation: Invocation) => Promise<Reply> | Reply;
  broadcast: (message: Delivery, frame: Frame) => Promise<Delivery> | Delivery;
  'after-response': (record: InvocationRecord) => Promise<void> | void;
  happening: (event: Happening) => void;
  execute: (
    frame: Frame,
    action: { readonly key: string; readonly mode: string },
  ) => Promise<Done | void> | Done | void;
}
export type HookName = keyof HookTaps;

export interface TapOptions {
  readonly stage?: number;
  /** Ids of plugins whose taps run after this one. */
  readonly before?: readonly string[];
  /** Only for `execute`: the mode whose execution is tapped. */
  readonly mode?: string;
}

/** A request for a path that a plugin serves directly: a stored file, a metrics page. */
export interface RouteRequest {
  readonly method: string;
  /** The decoded rest of the URL after the route's path; empty for an exact route. */
  readonly rest: string;
  /** The query string without its question mark. */
  readonly query: string;
  /** Client address, as in `Invocation.remote`. */
  readonly remote: string;
  /** All values of a header (lower-case name). */
  readonly header: (name: string) => readonly string[];
}

export interface RouteReply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
}

export interface Route {
  /** An exact path (`/metrics`), or a prefix with a trailing slash (`/files/`). */
  readonly path: string;
  /** `GET` implies `HEAD`. */
  readonly methods: readonly string[];
  /** Throw a Fault for an error response. */
  handle(request: RouteRequest): RouteReply | Promise<RouteReply>;
}

/** Passed to a plugin's `register`. A plugin first used by a reload may add routes but no taps. */
export interface Registrar {
  /** Throws KRN_SEALED once the kernel is ready. */
  tap<N extends HookName>(name: N, tap: HookTaps[N], options?: TapOptions): void;
  /** Serves a path outside the resources; throws KRN_ROUTE when it is taken. */
  route(route: Route): void;
}
