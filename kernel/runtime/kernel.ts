/**
 * Loads, opens, compiles and serves a project, reloads its plans atomically and closes in reverse order.
 * It knows neither plugins by name nor transports.
 */
import { BootError } from '../../contract/boot-error.js';
import type { JobAdmin } from '../../contract/deferred.js';
import { deepFreeze } from '../../contract/json.js';
import { createLimiter } from '../../contract/limiter.js';
import { hasErrors, type Problem } from '../../contract/problem.js';
import type { Health, Log } from '../../contract/plugin.js';
import type { Config } from '../../language/analysis/config.js';
import type { Fault } from '../../contract/fault.js';
import type { StatementDescription } from '../../contract/statement-check.js';
import type { SqlText } from '../../language/analysis/facts.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import type { PlanObserver, PlanSet } from '../../contract/resource-plan.js';
import type { StoreSchemas } from '../../language/project/store-changes.js';
import { checkInStores, createProjectChecker, createScriptReader } from '../../language/project/store-checks.js';
import { createPlanCompiler } from './plan-compiler.js';
import { InvalidDefinitionsError } from '../../language/project/invalid-definitions.js';
import type { Middleware, Registrar } from '../../contract/hooks.js';
import type { Upgrade } from '../../contract/trigger.js';
import { createHooks, createLiveHooks, type Hooks, type LiveHooks, type PluginRoute } from './hooks.js';
import { listEnabledPlugins } from '../../language/project/plugin-selection.js';
import { createSecretFollower } from '../../language/project/stored-objects.js';
import { createInstances, type Instance } from './instances.js';
import { createLifecycle } from './lifecycle.js';
import { createRuntimeServices, type KernelServices } from './runtime-services.js';
import { loadDefinitions, type LoadedDefinitions, type Project } from '../../language/project/project.js';
import { retainLastValidPlans } from './plan-retention.js';
import { createReload, createUnchangedOutcome, type KernelState, type ReloadOutcome } from './reload.js';
import { createStart, type Connect } from './start.js';

export type { ReloadOutcome } from './reload.js';

export interface KernelOptions {
  readonly project: Project;
  readonly log: Log;
  /** `refuse`: any error stops the start. `skip`: valid resources are served. Default: the config's value. */
  readonly onProblem?: 'refuse' | 'skip' | undefined;
  readonly connect?: Connect;
  /** Whether to retry unavailable servers; otherwise they stop the start. */
  readonly wait?: boolean;
  /** Which databases check statements: the open stores, or a scratch store at each reload. Default: none. */
  readonly statementChecks?: 'stores' | 'scratch';
  readonly loaded?: LoadedDefinitions;
  /** Called after each failure of a request that was logged; for `lintel dev`. */
  readonly onFailure?: ((fault: Fault) => void) | undefined;
  /** Taps of the program that starts the kernel, in addition to those of plugins. */
  readonly register?: ((hooks: Registrar) => void) | undefined;
}

export interface Kernel {
  readonly project: Project;
  readonly config: Config;
  readonly hooks: LiveHooks;
  readonly running: KernelServices;
  /** A reload may replace the list. */
  routes(): readonly PluginRoute[];
  readonly middlewares: readonly Middleware[];
  readonly upgrades: readonly Upgrade[];
  readonly log: Log;
  /** The types that a scratch database inferred for a statement of `analysis`. */
  describeStatement(statement: SqlText): StatementDescription | null;
  /** Plans of the newest valid set. A request keeps the plans it started with. */
  plans(): PlanSet;
  analysis(): Analysis;
  problems(): readonly Problem[];
  /** True when the files have errors that the served plans do not contain. */
  degraded(): boolean;
  health(): Promise<Readonly<Record<string, Health>>>;
  /** The stores and their tables, for `lintel migrate`. */
  schemas(): StoreSchemas;
  /** Reads the definitions again. `skip` applies all valid resources, `refuse` all or nothing. */
  reload(): Promise<ReloadOutcome>;
  /** Runs the `ready` hook and starts plugins, before listening or once all servers are available. */
  ready(): Promise<void>;
  /** Reasons by plugin key for what is unavailable. */
  readonly waiting: ReadonlyMap<string, string>;
  /** Resolves when all is available; rejects on a permanent error. */
  complete(): Promise<void>;
  listJobAdmins(): readonly JobAdmin[];
  /** Compiles all plans anew, for an observer or without one. Requests keep the plans they started with. */
  observePlans(observer: PlanObserver | null): Promise<void>;
  /** The plugins in use, for `lintel test`. */
  readonly instances: readonly Instance[];
  /** Resolves when current work is finished. `close` follows. */
  drain(): Promise<void>;
  /** Releases the claims on unfinished work, so that other processes can take it. */
  releaseClaims(): Promise<void>;
  close(reason: string): Promise<void>;
}

export async function createKernel({
  project,
  log,
  connect = true,
  wait = false,
  statementChecks,
  ...options
}: KernelOptions): Promise<Kernel> {
  if (project.config === null) throw new InvalidDefinitionsError(project.configProblems, null);
  const { codes } = project.registry;
  const { onProblem = project.config.on_problem } = options;
  const abort = new AbortController();
  let live: LiveHooks | null = null;
  let booted: KernelState | null = null;
  const hooks = createHooks();
  const running = createRuntimeServices({
    plans: () => booted?.plans ?? null,
    served: () => booted?.shown ?? null,
    hooks: () => live,
    listJobAdmins: () => listJobAdmins(),
    codes,
    runner: () => hooks.partRunner(),
    docs: () => config.docs,
    log,
    onFailure: options.onFailure,
  });
  options.register?.(hooks.createRegistrar('program'));
  const instances = createInstances({ project, hooks, log, signal: abort.signal, running });
  const listJobAdmins = (): JobAdmin[] =>
    instances.all.flatMap((instance) => instance.runtime.createJobAdmin?.(instance.handle()) ?? []);
  let config = project.config;
  const scratch = statementChecks === 'scratch' ? createProjectChecker(project, config) : null;
  let loaded = options.loaded ?? (await loadDefinitions(project, config, scratch?.check));
  if (onProblem === 'refuse' && hasErrors(loaded.problems)) {
    await scratch?.close();
    throw new InvalidDefinitionsError(loaded.problems, loaded.analysis);
  }
  const readStoreScripts = createScriptReader(project.folder, project.registry);
  const lifecycle = createLifecycle({ deadlines: config.deadlines, codes, log, scripts: readStoreScripts });
  const start = createStart({ lifecycle, instances, log, connect, wait });
  const followSecrets = createSecretFollower(connect === true || connect === 'stores');
  const compiling = createPlanCompiler({ project, hooks, live: () => live, instances, onProblem });

  /** Marks definitions invalid when these stores reject their statements, or what is in them returns a secret. */
  async function checkDefinitions(
    definitions: LoadedDefinitions,
    stores: readonly Instance[],
  ): Promise<LoadedDefinitions> {
    const whole = await followSecrets(definitions, stores);
    if (whole !== definitions && onProblem === 'refuse' && hasErrors(whole.problems))
      throw new InvalidDefinitionsError(whole.problems, whole.analysis);
    if (statementChecks !== 'stores') return whole;
    const taken = await checkInStores(whole, project, stores, instances.all).catch((err: unknown) => {
      if (!wait) throw err;
      log.warn({ err }, 'statement check failed before the start');
      return whole;
    });
    if (taken !== whole && onProblem === 'refuse') throw new InvalidDefinitionsError(taken.problems, taken.analysis);
    return taken;
  }

  let plans: PlanSet;
  try {
    const first = await instances.load(compiling.collectUses(loaded.analysis), config.chosen);
    config = deepFreeze(hooks.all.configure.call(config));
    first.push(...(await instances.load([], listEnabledPlugins(project.registry, config))));
    await start.open(first);
    hooks.seal();
    live = createLiveHooks(hooks, (err) => log.error({ err }, 'observer failed'));
    plans = compiling.compile(loaded.analysis, config);
    compiling.recordServed(loaded.analysis);
    if (connect === true && config.migrate && (await start.syncSchemas(first, plans.tables))) {
      compiling.forgetPlans();
      plans = compiling.compile(loaded.analysis, config);
    }
    const taken = await checkDefinitions(loaded, start.listAvailable(first));
    if (taken !== loaded) plans = compiling.compile((loaded = taken).analysis, config);
  } catch (error) {
    await lifecycle.close();
    await scratch?.close();
    if (error instanceof BootError) error.words ??= codes[error.code];
    throw error;
  }

  const broken = hasErrors(loaded.problems);
  const now: KernelState = { plans, shown: start.withAvailability(plans), loaded, routes: hooks.routes, broken };
  booted = now;
  // Overlapping reloads could install the older set last.
  const turns = createLimiter(1, Infinity, () => new RangeError('never full'));
  const begun = createReadiness(hooks, now, () => lifecycle.serve(instances.all));
  const complete = start
    .wait({
      prepare: (instance) =>
        turns.run(async () => {
          if (config.migrate) await lifecycle.syncSchemas([instance], now.plans.tables);
          const taken = await checkDefinitions(now.loaded, [instance]);
          // The store is open now, and may need other plans than those compiled without it.
          compiling.forgetPlans();
          now.plans = compiling.compile(taken.analysis, config);
          if (taken === now.loaded) return;
          now.loaded = taken;
          now.broken ||= hasErrors(taken.problems);
        }),
      onAvailable: () => (now.shown = start.withAvailability(now.plans)),
    })
    .then((isWhole) => (isWhole ? begun.markWhole() : undefined));
  // Callers of `complete()` receive the rejection.
  complete.catch(() => undefined);
  const reload = createReload({
    project,
    config,
    onProblem,
    connect,
    hooks,
    instances,
    lifecycle,
    start,
    compiling,
    now,
    log,
    checkAnalysis: scratch?.check,
    followSecrets,
    isServing: begun.isServing,
    onReload: () => running.notifyPlansReloaded(),
  });
  let closed: Promise<void> | null = null;

  return {
    project,
    config,
    hooks: live,
    running,
    routes: () => now.routes,
    middlewares: hooks.middlewares,
    upgrades: hooks.upgrades,
    log,
    describeStatement: (statement) => now.loaded.descriptions.get(statement) ?? null,
    plans: () => now.shown,
    analysis: () => now.loaded.analysis,
    problems: () => [...now.loaded.problems, ...now.plans.failures.map(({ problem }) => problem)],
    degraded: () => now.broken || now.plans.failures.length > 0,
    health: () => lifecycle.health(),
    schemas: () => {
      const { tables, indexSources } = now.plans;
      return { stores: instances.all, tables, indexSources, codes, readScripts: readStoreScripts };
    },
    ready: () => begun.markReady(lifecycle.unavailable.size === 0),
    waiting: lifecycle.unavailable,
    complete: () => complete,
    listJobAdmins,
    instances: instances.all,
    observePlans: (observer) =>
      turns.run(async () => {
        compiling.observe(observer);
        if (closed !== null) return;
        const compiled = compiling.compile(now.loaded.analysis, config);
        now.plans = now.broken ? retainLastValidPlans(now.plans, compiled, now.loaded.analysis) : compiled;
        now.shown = start.withAvailability(now.plans);
      }),
    drain: () => lifecycle.drain(),
    releaseClaims: () => lifecycle.releaseClaims(),
    // A reload during shutdown must not open plugins again.
    reload: () => turns.run(() => (closed === null ? reload() : Promise.resolve(createUnchangedOutcome(now)))),
    close(reason) {
      closed ??= (async () => {
        start.stop();
        await hooks.all.close.promise(reason);
        for (const error of hooks.closeFailures) log.error({ err: error }, 'close hook failed');
        abort.abort();
        await turns.run(() => lifecycle.close());
        await scratch?.close();
      })();
      return closed;
    },
  };
}

/** Starts the plugins once, when the kernel is ready to listen and all servers are available. */
function createReadiness({ all }: Hooks, now: KernelState, serve: () => Promise<void>) {
  let [isReady, serving] = [false, false];
  let announced: Promise<void> | null = null;
  const startServing = (): Promise<void> =>
    (announced ??= all.ready.promise({ resources: [...now.plans.byId.keys()] }).then(() => {
      serving = true;
      return serve();
    }));
  return {
    async markReady(isWhole: boolean): Promise<void> {
      isReady = true;
      if (isWhole) await startServing();
    },
    async markWhole(): Promise<void> {
      if (isReady) await startServing();
    },
    isServing: (): boolean => serving,
  };
}
