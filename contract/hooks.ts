/**
 * The hooks, and the registrar of their taps. A hook is for behaviour of every request; behaviour of a field of a definition
 * is a compiled step.
 */
import type { Delivery } from './deferred.js';
import type { Json } from './json.js';
import type { PartRunner, PartWork } from './part.js';
import type { ActionTiming, Frame, Invocation } from './plan.js';
import type { Upgrade } from './trigger.js';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** For observers, after the response was sent. Contains no values of the request. */
export interface InvocationRecord {
  readonly id: string;
  readonly trigger: string;
  readonly resource: string | undefined;
  /** As written in the definition. */
  readonly path: string | undefined;
  /** Of an HTTP request. */
  readonly method: string | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly status: number;
  /** Of a rejected or failed request. */
  readonly code: string | undefined;
  readonly milliseconds: number;
  /** In the order in which they ended. */
  readonly actions: readonly ActionTiming[];
  /** The attempt number of background work. */
  readonly attempt?: number;
}

/** Events outside requests, without request values and uids. */
export type TelemetryEvent =
  /** `open`: current number of connections. */
  | { readonly what: 'connection-opened'; readonly id: string; readonly open: number }
  | {
      readonly what: 'connection-closed';
      readonly id: string;
      readonly open: number;
      /** The close code of RFC 6455. */
      readonly code: number;
      readonly milliseconds: number;
    }
  /** A definition sent a message, to any process. */
  | { readonly what: 'message-sent'; readonly action: string }
  /** A message was delivered in this process; `dropped` counts slow clients that did not receive it. */
  | {
      readonly what: 'message-delivered';
      readonly action: string;
      readonly receivers: number;
      readonly dropped: number;
    }
  | { readonly what: 'work-accepted'; readonly id: string; readonly resource: string; readonly part: string }
  /** An attempt finished. Attempts lost in a crash have no names of definitions. */
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
  /** A scheduled run did not start: the previous one is still active, or it was due too long ago. */
  | {
      readonly what: 'run-skipped' | 'run-missed';
      readonly resource: string;
      readonly key: string;
      /** Milliseconds since 1970. */
      readonly instant: number;
    };

/** Ends a bail hook or a list of steps with a value; `null` and `undefined` are legal results. */
export class FinalResult {
  constructor(readonly value: unknown) {}
}
export const done = (value: unknown): FinalResult => new FinalResult(value);

export interface HookTaps {
  configure: (config: Json) => Json;
  compile: (resource: { readonly id: string; readonly definition: Json }) => void;
  ready: (kernel: { readonly resources: readonly string[] }) => Promise<void> | void;
  close: (reason: string) => Promise<void> | void;
  accept: (invocation: Invocation) => Promise<FinalResult | void> | FinalResult | void;
  'before-validate': (frame: Frame, action: { readonly key: string; readonly mode: string }) => Promise<void> | void;
  reply: (reply: Reply, invocation: Invocation) => Promise<Reply> | Reply;
  broadcast: (message: Delivery, frame: Frame) => Promise<Delivery> | Delivery;
  'after-response': (record: InvocationRecord) => Promise<void> | void;
  happening: (event: TelemetryEvent) => void;
  execute: (
    frame: Frame,
    action: { readonly key: string; readonly mode: string },
  ) => Promise<FinalResult | void> | FinalResult | void;
}
export type HookName = keyof HookTaps;

export interface TapOptions {
  readonly stage?: number;
  /** Ids of plugins with taps that run after this one. */
  readonly before?: readonly string[];
  /** Only for `execute`: the tapped mode. */
  readonly mode?: string;
}

/** A request for a path that a plugin serves: a stored file, a metrics page. */
export interface RouteRequest {
  readonly method: string;
  /** The decoded path after the route's own. */
  readonly rest: string;
  /** Without its question mark. */
  readonly query: string;
  /** The client address, as `Invocation.remote`. */
  readonly remote: string;
  /** One value for each occurrence; lower-case name. */
  readonly header: (name: string) => readonly string[];
}

export interface RouteReply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
}

export interface Route {
  /** Exact (`/metrics`), or a prefix with a trailing slash (`/files/`). */
  readonly path: string;
  /** `GET` implies `HEAD`. */
  readonly methods: readonly string[];
  /** Throw a Fault for an error response. */
  handle(request: RouteRequest): RouteReply | Promise<RouteReply>;
}

/** Passed to `register`. A plugin first used by a reload may add routes and run parts, but add no taps. */
export interface Registrar {
  /** Throws KRN_SEALED once the kernel is ready. */
  tap<N extends HookName>(name: N, tap: HookTaps[N], options?: TapOptions): void;
  /** Throws KRN_ROUTE when the path is taken. */
  route(route: Route): void;
  /** Adds a Koa middleware before those of the kernel; the first added is the outermost. Throws KRN_SEALED after the start. */
  use(middleware: Middleware): void;
  /** One plugin compiles and runs the parts of resources that run apart from requests. */
  registerPartRunner<W extends PartWork>(runner: PartRunner<W>): void;
  /** Takes over connections at a path, which neither a resource nor another plugin may use. Throws KRN_SEALED after the start. */
  registerUpgrade(upgrade: Upgrade): void;
}

/** A Koa middleware (`Koa.Middleware`); `never` accepts any type of context. */
export type Middleware = (context: never, next: () => Promise<unknown>) => unknown;
