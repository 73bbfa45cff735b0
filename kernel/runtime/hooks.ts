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
import { HOOK_DOCS } from '../../contract/hook-docs.js';
import { Fault } from '../../contract/fault.js';
import type { Json } from '../../contract/json.js';
import type { Config } from '../../language/analysis/config.js';
import type { Upgrade } from '../../contract/trigger.js';
import type { PartRunner } from '../../contract/part.js';
import type { Frame, Invocation } from '../../contract/plan.js';
import type { ActionPlan } from '../../contract/resource-plan.js';
import { Stage } from '../../contract/slot.js';
import { findNearest } from '../../language/source/suggest.js';
import { formatHint } from '../../language/analysis/report.js';
import { wrapPluginError, attributeErrors } from '../../language/project/plugin-failures.js';

type ActionRef = Pick<ActionPlan, 'key' | 'mode'>;

function declareHooks() {
  return Object.freeze({
    configure: new SyncWaterfallHook<[Config]>(['config'], 'configure'),
    compile: new SyncHook<[{ id: string; definition: Json }]>(['resource'], 'compile'),
    ready: new AsyncSeriesHook<[{ resources: readonly string[] }]>(['kernel'], 'ready'),
    close: new AsyncSeriesHook<[string]>(['reason'], 'close'),
    accept: new AsyncSeriesBailHook<[Invocation], FinalResult | undefined>(['invocation'], 'accept'),
    'before-validate': new AsyncSeriesHook<[Frame, ActionRef]>(['frame', 'action'], 'before-validate'),
    execute: new HookMap(
      () => new AsyncSeriesBailHook<[Frame, ActionRef], FinalResult | undefined>(['frame', 'action'], 'execute'),
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

type TapPlace = Readonly<{ name: string; stage: number; before?: string[] }>;

interface Tappable {
  tap(place: TapPlace, fn: (...args: unknown[]) => unknown): void;
  tapPromise?(place: TapPlace, fn: (...args: unknown[]) => Promise<unknown>): void;
  readonly taps: readonly { readonly name: string }[];
}

export type Hooks = ReturnType<typeof createHooks>;

export function createHooks() {
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
    if (name === 'execute' && options.mode === undefined) throw createTapError(plugin, name, 'without naming a mode');
    // The types of tapable differ for each hook, and know no list of names in `before`.
    return (name === 'execute' ? all.execute.for(options.mode) : all[name]) as unknown as Tappable;
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
    /** Throws where no plugin runs parts. */
    partRunner: (): PartRunner => {
      const [runner] = partRunners;
      if (runner === undefined) throw new BootError('PLG_NO_RUNTIME', { name: 'deferred work' });
      return runner;
    },
    get routes() {
      return routes;
    },
    restoreRoutes: (before: readonly PluginRoute[]) => void (routes = before),
    seal: () => void (sealed = true),
    createRegistrar: (plugin: string): Registrar => ({
      use: (middleware) => addUnsealed(middlewares, middleware, plugin, 'use'),
      registerUpgrade: (upgrade) => addUnsealed(upgrades, upgrade, plugin, 'registerUpgrade'),
      registerPartRunner: (runner) => void partRunners.push(runner),
      route(route) {
        const flaw = findRouteFlaw(route, routes);
        if (flaw !== null) throw new BootError('KRN_ROUTE', { name: plugin, path: route.path, what: flaw });
        const { path, methods } = route;
        const handle = (request: RouteRequest) => route.handle(request);
        routes = Object.freeze([...routes, Object.freeze({ plugin, path, methods, handle })]);
      },
      tap(name, tap, options = {}) {
        if (sealed) throw new BootError('KRN_SEALED', { name: plugin, hook: name });
        const hook = find(plugin, name, options);
        for (const other of options.before ?? []) {
          if (!hook.taps.some((known) => known.name === other))
            throw createTapError(plugin, name, `before "${other}", which does not tap it`);
        }
        const place = {
          name: plugin,
          stage: options.stage ?? Stage.NORMAL,
          ...(options.before && { before: [...options.before] }),
          ...(options.takesText && { takesText: true }),
        };
        const call = tap as (...args: unknown[]) => unknown;
        if (HOOK_DOCS[name].sync === true) {
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

const createTapError = (name: string, hook: HookName, what: string): BootError =>
  new BootError('KRN_TAP', { name, hook, what });

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
    if (HOOK_DOCS[hook].life === true) throw wrapPluginError(plugin, `handle the hook "${hook}"`, error);
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
  const { may } = HOOK_DOCS[hook];
  if (may === 'change' && value === undefined)
    throw createTapError(plugin, hook, 'and returns nothing; it must return the value');
  if (may === 'answer' && value !== undefined && !(value instanceof FinalResult))
    throw createTapError(plugin, hook, 'and returns a bare value; end the hook with done(value)');
  return value;
}

/** The hooks of a running kernel. Unused ones are null, so they cost nothing. */
export type LiveHooks = ReturnType<typeof createLiveHooks>;

/** `failed` receives the errors of `happening` taps. */
export function createLiveHooks({ all }: Hooks, failed: (error: unknown) => void = () => undefined) {
  const getIfUsed = <T>(hook: { isUsed(): boolean }, call: T): T | null => (hook.isUsed() ? call : null);
  return Object.freeze({
    accept: getIfUsed(all.accept, (invocation: Invocation) => all.accept.promise(invocation)),
    beforeValidate: getIfUsed(all['before-validate'], (frame: Frame, action: ActionRef) =>
      all['before-validate'].promise(frame, action),
    ),
    reply: getIfUsed(all.reply, (reply: Reply, invocation: Invocation) => all.reply.promise(reply, invocation)),
    readsReplies: all.reply.taps.some((tap) => !('takesText' in tap)),
    afterResponse: getIfUsed(all['after-response'], (record: InvocationRecord) =>
      all['after-response'].promise(record),
    ),
    broadcast: getIfUsed(all.broadcast, (message: Delivery, frame: Frame) => all.broadcast.promise(message, frame)),
    /** Never throws. */
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
