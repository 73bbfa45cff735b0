/** The hooks, and the registrar of taps: behaviour of every request. Fields of a definition become compiled steps. */
import type { Delivery } from './delivery.js';
import type { Json } from './json.js';
import type { PartRunner, PartWork } from './part.js';
import type { Frame, Invocation } from './plan.js';
import type { InvocationRecord, TelemetryEvent } from './telemetry.js';
import type { Upgrade } from './trigger.js';
import type { FinalResult, Reply } from './reply.js';
import type { Route } from './route.js';

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
  /** Only for `reply`: accepts a body as JSON text (`RawJson`, `JsonStream`). */
  readonly takesText?: true;
}

/** A plugin first used by a reload may add routes and run parts, but no taps. */
export interface Registrar {
  /** Throws KRN_SEALED once the kernel is ready. */
  tap<N extends HookName>(name: N, tap: HookTaps[N], options?: TapOptions): void;
  /** Throws KRN_ROUTE when the path is taken. */
  route(route: Route): void;
  /**
   * Adds a Koa middleware before those of the kernel; the first is the outermost. Throws KRN_SEALED after the start.
   */
  use(middleware: Middleware): void;
  /** Compiles and runs the parts of resources that run apart from requests. */
  registerPartRunner<W extends PartWork>(runner: PartRunner<W>): void;
  /** Takes over connections at a path that nothing else uses. Throws KRN_SEALED after the start. */
  registerUpgrade(upgrade: Upgrade): void;
}

/** A Koa middleware (`Koa.Middleware`); `never` accepts any type of context. */
export type Middleware = (context: never, next: () => Promise<unknown>) => unknown;
