/**
 * The hooks and the registrar through which plugins tap them. Public names are kebab-case. A hook is for behaviour
 * that applies to every request; what depends on a field of a definition is a compiled step instead.
 */
import type { Delivery } from './deferred.js';
import type { Json } from './json.js';
import type { ActionTiming, Frame, Invocation } from './plan.js';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What observers learn once the bytes have left. No values of the request are in it. */
export interface InvocationRecord {
  readonly id: string;
  readonly trigger: string;
  readonly resource: string | undefined;
  /** Path of that resource as its definition writes it. */
  readonly path: string | undefined;
  /** The verb of an HTTP request. */
  readonly method: string | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly status: number;
  /** Problem code of a refused or failed request. */
  readonly code: string | undefined;
  readonly milliseconds: number;
  /** In the order they ended; empty where nothing ran. */
  readonly actions: readonly ActionTiming[];
  /** Of work that is done apart from its request: which run of it this was. */
  readonly attempt?: number;
}

/** What happens beside requests: names of definitions, ids, codes and numbers. No value of a request is in it, and no uid. */
export type Happening =
  /** `open`: how many connections there are now. */
  | { readonly what: 'connection-opened'; readonly id: string; readonly open: number }
  | {
      readonly what: 'connection-closed';
      readonly id: string;
      readonly open: number;
      /** Of RFC 6455. */
      readonly code: number;
      readonly milliseconds: number;
    }
  /** A definition sends a message to connected clients, wherever they are. */
  | { readonly what: 'message-sent'; readonly action: string }
  /** A message was handed to connections of this process; `dropped`: to those that do not keep up, it was not. */
  | {
      readonly what: 'message-delivered';
      readonly action: string;
      readonly receivers: number;
      readonly dropped: number;
    }
  | { readonly what: 'work-accepted'; readonly id: string; readonly resource: string; readonly part: string }
  /** A run is over and counts. Work that lost its process has no names: nobody is left who knows them. */
  | {
      readonly what: 'work-ended';
      readonly id: string;
      readonly resource: string | undefined;
      readonly part: string | undefined;
      readonly attempt: number | undefined;
      /** `again`: it will be tried again. */
      readonly outcome: 'done' | 'again' | 'dead';
      readonly code: string | undefined;
    }
  /** The clock did not begin a run: the one before still goes on, or it was due too long ago. */
  | {
      readonly what: 'run-skipped' | 'run-missed';
      readonly resource: string;
      /** Key of the actionable. */
      readonly key: string;
      /** Milliseconds since 1970. */
      readonly instant: number;
    };

/** Ends a bail hook or a list of steps with a value. Never `null` or `undefined` as a signal: both are legal results. */
export class Done {
  constructor(readonly value: unknown) {}
}
export const done = (value: unknown): Done => new Done(value);

/** Signatures of the taps, by public hook name. */
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
  /** Ids of plugins whose taps this one must precede. */
  readonly before?: readonly string[];
  /** Only for `execute`: the mode whose execution is tapped. */
  readonly mode?: string;
}

/** A request for an address that a plugin answers by itself: a stored file, a page of figures. */
export interface RouteRequest {
  readonly method: string;
  /** What follows the path of the route, percent escapes decoded; empty for an exact one. */
  readonly rest: string;
  /** The text behind the question mark. */
  readonly query: string;
  /** Address of the client, as `Invocation.remote`. */
  readonly remote: string;
  /** The values of a header (lower-case name). */
  readonly header: (name: string) => readonly string[];
}

export interface RouteReply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
}

export interface Route {
  /** `/metrics`, or with a slash at the end for everything below: `/files/`. */
  readonly path: string;
  /** `HEAD` is answered wherever `GET` is. */
  readonly methods: readonly string[];
  /** What fails is answered like any other failure: throw a Fault. */
  handle(request: RouteRequest): RouteReply | Promise<RouteReply>;
}

/** Handed to a plugin's `register`. A plugin that a reload is the first to use may add routes, and no taps. */
export interface Registrar {
  /** Throws KRN_SEALED once the kernel is ready. */
  tap<N extends HookName>(name: N, tap: HookTaps[N], options?: TapOptions): void;
  /** Answers an address beside the resources; throws KRN_ROUTE when it is taken. */
  route(route: Route): void;
}
