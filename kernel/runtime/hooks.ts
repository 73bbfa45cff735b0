/** The hooks as tapable objects, and the registrar for plugins. Errors of taps are attributed to plugin and hook. */
import {
  AsyncParallelHook,
  AsyncSeriesBailHook,
  AsyncSeriesHook,
  AsyncSeriesWaterfallHook,
  HookMap,
  SyncHook,
  SyncWaterfallHook,
} from 'tapable';
import { BootError } from '../../contract/boot-error.js';
import type { HookName, Middleware, Registrar, TapOptions } from '../../contract/hooks.js';
import type { Route, RouteRequest } from '../../contract/route.js';
import type { TelemetryEvent, InvocationRecord } from '../../contract/telemetry.js';
import { FinalResult, type Reply } from '../../contract/reply.js';
import type { Delivery } from '../../contract/delivery.js';
import { HOOK_DOCS, HOOK_NAMES, type HookDoc } from '../../contract/hook-docs.js';
import { Fault } from '../../contract/fault.js';
import type { Json } from '../../contract/json.js';
import type { Upgrade } from '../../contract/trigger.js';
import type { PartRunner } from '../../contract/part.js';
import type { Frame, Invocation } from '../../contract/plan.js';
import { Stage } from '../../contract/slot.js';
import { findNearest } from '../../language/source/suggest.js';
import { formatHint } from '../../language/analysis/report.js';
import { wrapPluginError, attributeErrors } from '../../language/project/plugin-failures.js';

interface ActionRef {
  readonly key: string;
  readonly mode: string;
}

function declareHooks() {
  return Object.freeze({
    configure: new SyncWaterfallHook<[Json]>(['config'], 'configure'),
    compile: new SyncHook<[{ id: string; definition: Json }]>(['resource'], 'compile'),
    ready: new AsyncSeriesHook<[{ resources: readonly string[] }]>(['kernel'], 'ready'),
    close: new AsyncSeriesHook<[string]>(['reason'], 'close'),
    accept: new AsyncSeriesBailHook<[Invocation], FinalResult>(['invocation'], 'accept'),
    'before-validate': new AsyncSeriesHook<[Frame, ActionRef]>(['frame', 'action'], 'before-validate'),
    execute: new HookMap(
      () => new AsyncSeriesBailHook<[Frame, ActionRef], FinalResult>(['frame', 'action'], 'execute'),
    ),
    reply: new AsyncSeriesWaterfallHook<[Reply, Invocation]>(['reply', 'invocation'], 'reply'),
    broadcast: new AsyncSeriesWaterfallHook<[Delivery, Frame]>(['message', 'frame'], 'broadcast'),
    'after-response': new AsyncParallelHook<[InvocationRecord]>(['record'], 'after-response'),
    happening: new SyncHook<[TelemetryEvent]>(['event'], 'happening'),
  } satisfies Record<HookName, unknown>);
}

export interface PluginRoute extends Route {
  readonly plugin: string;
}

export interface Hooks {
  readonly all: ReturnType<typeof declareHooks>;
  createRegistrar(plugin: string): Registrar;
  readonly closeFailures: readonly unknown[];
  readonly routes: readonly PluginRoute[];
  readonly middlewares: readonly Middleware[];
  readonly upgrades: readonly Upgrade[];
  /** Throws where no plugin runs parts. */
  readonly partRunner: () => PartRunner;
  restoreRoutes(before: readonly PluginRoute[]): void;
  seal(): void;
}

const selectHooks = (keep: (doc: HookDoc) => boolean): ReadonlySet<HookName> =>
  new Set(HOOK_NAMES.filter((name) => keep(HOOK_DOCS[name])));
const BAIL = selectHooks(({ may }) => may === 'answer');
const WATERFALL = selectHooks(({ may }) => may === 'change');
const SYNC = selectHooks(({ sync }) => sync === true);
const LIFE = selectHooks(({ life }) => life === true);

interface Tappable {
  tap(options: { name: string; stage: number; before?: string[] }, fn: (...args: unknown[]) => unknown): void;
  tapPromise?(
    options: { name: string; stage: number; before?: string[] },
    fn: (...args: unknown[]) => Promise<unknown>,
  ): void;
  readonly taps: readonly { readonly name: string }[];
}

export function createHooks(): Hooks {
  const all = declareHooks();
  let sealed = false;
  const closeFailures: unknown[] = [];
  let routes: readonly PluginRoute[] = Object.freeze([]);
  const middlewares: Middleware[] = [];
  const upgrades: Upgrade[] = [];
  const partRunners: PartRunner[] = [];

  const find = (plugin: string, name: HookName, options: TapOptions): Tappable => {
    if (!Object.hasOwn(all, name)) {
      throw new BootError('KRN_HOOK', {
        name: plugin,
        hook: name,
        hint: formatHint(findNearest(name, Object.keys(all))),
      });
    }
    if (name !== 'execute') return all[name] as unknown as Tappable;
    if (options.mode === undefined)
      throw new BootError('KRN_TAP', { name: plugin, hook: name, what: 'without naming a mode' });
    return all.execute.for(options.mode) as unknown as Tappable;
  };

  function addUnsealed<T>(list: T[], item: T, plugin: string, hook: string): void {
    if (sealed) throw new BootError('KRN_SEALED', { name: plugin, hook });
    list.push(item);
  }

  return {
    all,
    closeFailures,
    middlewares,
    upgrades,
    partRunner() {
      const [runner] = partRunners;
      if (runner === undefined) throw new BootError('PLG_NO_RUNTIME', { name: 'deferred work' });
      return runner;
    },
    get routes() {
      return routes;
    },
    restoreRoutes: (before) => {
      routes = before;
    },
    seal: () => {
      sealed = true;
    },
    createRegistrar: (plugin) => ({
      use: (middleware) => addUnsealed(middlewares, middleware, plugin, 'use'),
      registerUpgrade: (upgrade) => addUnsealed(upgrades, upgrade, plugin, 'registerUpgrade'),
      registerPartRunner: (runner) => void partRunners.push(runner),
      route(route) {
        const flaw = findRouteFlaw(route, routes);
        if (flaw !== null) throw new BootError('KRN_ROUTE', { name: plugin, path: route.path, what: flaw });
        const { path, methods } = route;
        const added = Object.freeze({
          plugin,
          path,
          methods,
          handle: (request: RouteRequest) => route.handle(request),
        });
        routes = Object.freeze([...routes, added]);
      },
      tap(name, tap, options = {}) {
        if (sealed) throw new BootError('KRN_SEALED', { name: plugin, hook: name });
        const hook = find(plugin, name, options);
        for (const other of options.before ?? []) {
          if (!hook.taps.some((known) => known.name === other)) {
            throw new BootError('KRN_TAP', {
              name: plugin,
              hook: name,
              what: `before "${other}", which does not tap it`,
            });
          }
        }
        const place = {
          name: plugin,
          stage: options.stage ?? Stage.NORMAL,
          ...(options.before && { before: [...options.before] }),
        };
        const call = tap as (...args: unknown[]) => unknown;
        if (SYNC.has(name)) {
          hook.tap(place, (...args) =>
            attributeErrors(plugin, `handle the hook "${name}"`, () => checkTapResult(plugin, name, call(...args))),
          );
        } else if (name === 'close') {
          hook.tapPromise?.(place, (...args) =>
            callTap(plugin, name, call, args).catch((error) => closeFailures.push(error)),
          );
        } else hook.tapPromise?.(place, (...args) => callTap(plugin, name, call, args));
      },
    }),
  };
}

function findRouteFlaw({ path, methods }: Route, known: readonly Route[]): string | null {
  if (!/^(\/[A-Za-z0-9._-]+)+\/?$/.test(path)) return 'it is no fixed path such as `/metrics` or `/files/`';
  if (methods.length === 0) return 'no verb is named';
  const addFinalSlash = (text: string): string => (text.endsWith('/') ? text : `${text}/`);
  return known.some((route) => addFinalSlash(route.path) === addFinalSlash(path)) ? 'another plugin answers it' : null;
}

async function callTap(
  plugin: string,
  hook: HookName,
  call: (...args: unknown[]) => unknown,
  args: unknown[],
): Promise<unknown> {
  try {
    return checkTapResult(plugin, hook, await call(...args));
  } catch (error) {
    if (LIFE.has(hook)) throw wrapPluginError(plugin, `handle the hook "${hook}"`, error);
    if (error instanceof Fault) {
      error.where.plugin ??= plugin;
      error.where.hook ??= hook;
      throw error;
    }
    throw new Fault(
      'INT_UNEXPECTED',
      {},
      { cause: new Error(`the tap of ${plugin} on ${hook} failed`, { cause: error }) },
    );
  }
}

/** tapable reads a missing return as "keep the old value", which would hide the mistake. */
function checkTapResult(plugin: string, hook: HookName, value: unknown): unknown {
  if (WATERFALL.has(hook) && value === undefined) {
    throw new BootError('KRN_TAP', { name: plugin, hook, what: 'and returns nothing; it must return the value' });
  }
  if (BAIL.has(hook) && value !== undefined && !(value instanceof FinalResult)) {
    throw new BootError('KRN_TAP', {
      name: plugin,
      hook,
      what: 'and returns a bare value; end the hook with done(value)',
    });
  }
  return value;
}

/** The hooks of a running kernel. Unused ones are null, so they cost nothing. */
export interface LiveHooks {
  readonly accept: ((invocation: Invocation) => Promise<FinalResult | undefined>) | null;
  readonly beforeValidate: ((frame: Frame, action: ActionRef) => Promise<void>) | null;
  readonly reply: ((reply: Reply, invocation: Invocation) => Promise<Reply>) | null;
  readonly afterResponse: ((record: InvocationRecord) => Promise<void>) | null;
  readonly broadcast: ((message: Delivery, frame: Frame) => Promise<Delivery>) | null;
  /** Never throws. */
  readonly happening: ((event: TelemetryEvent) => void) | null;
  readonly execute: (mode: string) => ((frame: Frame, action: ActionRef) => Promise<FinalResult | undefined>) | null;
}

/** `failed` receives the errors of `happening` taps. */
export function createLiveHooks({ all }: Hooks, failed: (error: unknown) => void = () => undefined): LiveHooks {
  const getIfUsed = <T>(hook: { isUsed(): boolean }, call: T): T | null => (hook.isUsed() ? call : null);
  return Object.freeze({
    accept: getIfUsed(all.accept, (invocation: Invocation) => all.accept.promise(invocation)),
    beforeValidate: getIfUsed(all['before-validate'], (frame: Frame, action: ActionRef) =>
      all['before-validate'].promise(frame, action),
    ),
    reply: getIfUsed(all.reply, (reply: Reply, invocation: Invocation) => all.reply.promise(reply, invocation)),
    afterResponse: getIfUsed(all['after-response'], (record: InvocationRecord) =>
      all['after-response'].promise(record),
    ),
    broadcast: getIfUsed(all.broadcast, (message: Delivery, frame: Frame) => all.broadcast.promise(message, frame)),
    happening: getIfUsed(all.happening, (event: TelemetryEvent) => {
      try {
        all.happening.call(event);
      } catch (error) {
        failed(error);
      }
    }),
    execute: (mode: string) => {
      const hook = all.execute.get(mode);
      return hook?.isUsed() ? (frame: Frame, action: ActionRef) => hook.promise(frame, action) : null;
    },
  });
}
