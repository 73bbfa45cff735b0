/**
 * The kernel: boots a project (load, analyse, import, open, compile, seal), holds the current plans, reloads them whole
 * and closes everything in reverse. It knows no plugin by name and no transport.
 */
import { BootError } from '../contract/boot-error.js';
import { deepFreeze } from '../contract/json.js';
import type { MigrationOutline, MigrationProgress } from '../contract/migration.js';
import { hasErrors, type Problem } from '../contract/problem.js';
import type { Health, Log } from '../contract/plugin.js';
import type { Config } from '../analysis/config.js';
import type { Analysis } from '../analysis/model.js';
import type { Patterns, PlanSet } from '../compile/plan.js';
import { hasParameters, pathShape } from '../language/route.js';
import type { Document } from '../source/document.js';
import { compilePatterns } from '../compile/patterns.js';
import { compilePlanSet } from '../compile/plan-set.js';
import type { Execute } from '../contract/plan.js';
import { createHooks, liveHooks, type LiveHooks, type PluginRoute } from './hooks.js';
import { createInstances, type Instance } from './instances.js';
import { createLifecycle } from './lifecycle.js';
import { loadDefinitions, type LoadedDefinitions, type Project } from './project.js';

export interface KernelOptions {
  readonly project: Project;
  readonly log: Log;
  /** `refuse`: one error stops the start. `skip`: what is sound is served. Without it the config decides. */
  readonly onProblem?: 'refuse' | 'skip' | undefined;
  /** False: plans are compiled, but nothing is opened and no table is made. `stores`: only what holds tables is opened. */
  readonly connect?: boolean | 'stores';
}

export interface Kernel {
  readonly project: Project;
  readonly config: Config;
  readonly hooks: LiveHooks;
  /** Addresses that plugins answer by themselves; another list once a reload has added some. */
  routes(): readonly PluginRoute[];
  readonly log: Log;
  /** The plans of the newest sound set; a request keeps the ones it started with. */
  plans(): PlanSet;
  analysis(): Analysis;
  problems(): readonly Problem[];
  /** True when the files on disk have errors that the running plans do not show. */
  degraded(): boolean;
  health(): Promise<Readonly<Record<string, Health>>>;
  /** What `migrate` would change now. */
  outline(): Promise<MigrationOutline>;
  /** Brings the stores to the shape of the models, whatever the config says of starts, and however long it takes. */
  migrate(progress: MigrationProgress): Promise<void>;
  /** Reads the definitions again. With `skip`, sound resources are taken over; with `refuse`, all or nothing. */
  reload(): Promise<ReloadOutcome>;
  /** Tells plugins that the kernel is about to listen. */
  ready(): Promise<void>;
  close(reason: string): Promise<void>;
}

export interface ReloadOutcome {
  readonly applied: boolean;
  readonly problems: readonly Problem[];
  /** The files as they were read, for showing the problems. */
  readonly documents: ReadonlyMap<string, Document>;
  readonly failure?: unknown;
}

/** Problems stopped the start; they are listed in `problems`. */
export class BrokenSet extends BootError {
  constructor(
    readonly problems: readonly Problem[],
    readonly analysis: Analysis | null,
  ) {
    super('KRN_BROKEN_SET', { count: problems.filter((problem) => problem.severity === 'error').length });
  }
}

export async function createKernel({ project, log, connect = true, ...options }: KernelOptions): Promise<Kernel> {
  if (project.config === null) throw new BrokenSet(project.configProblems, null);
  const { onProblem = project.config.on_problem } = options;
  const abort = new AbortController();
  const hooks = createHooks();
  const instances = createInstances({ project, hooks, log, signal: abort.signal });
  let config = project.config;
  let loaded = await loadDefinitions(project, config);
  if (onProblem === 'refuse' && hasErrors(loaded.problems)) throw new BrokenSet(loaded.problems, loaded.analysis);
  const lifecycle = createLifecycle({ deadlines: config.deadlines, codes: project.registry.codes, log });

  // What a set that was served has used stays in use: what a plugin has shut must not open because a file is broken or gone.
  const served = new Set<string>();
  const uses = (analysis: Analysis): Set<string> => new Set([...project.configUses, ...served, ...analysis.uses]);
  const serve = (analysis: Analysis): void => analysis.uses.forEach((id) => served.add(id));
  const intercept = (mode: string, execute: Execute, action: { key: string; mode: string }): Execute => {
    const tap = live?.execute(mode) ?? null;
    if (tap === null) return execute;
    return async (frame) => {
      const early = await tap(frame, action);
      return early === undefined ? execute(frame) : early.value;
    };
  };
  const compile = (analysis: Analysis): PlanSet => {
    for (const resource of analysis.resources) {
      if (resource.sound) hooks.all.compile.call({ id: resource.id, definition: resource.value });
    }
    const { registry } = project;
    try {
      const compiled = compilePlanSet(analysis, {
        registry,
        handles: instances,
        intercept,
        profile: config.profile,
        testing: config.testing,
        uses: new Set([...uses(analysis), ...config.chosen.map(({ kind, name }) => `${kind}:${name}`)]),
        watched: (mode) => live?.reply !== null || live.execute(mode) !== null,
      });
      refuseTaken(compiled, hooks.routes);
      return compiled;
    } catch (error) {
      if (error instanceof BootError) error.words ??= registry.codes[error.code];
      throw error;
    }
  };

  let live: LiveHooks | null = null;
  let plans: PlanSet;
  try {
    const first = await instances.load(uses(loaded.analysis), config.chosen);
    config = deepFreeze(hooks.all.configure.call(config as never)) as unknown as Config;
    if (connect !== false) await lifecycle.open(connect === 'stores' ? first.filter(holdsTables) : first);
    hooks.seal();
    live = liveHooks(hooks);
    plans = compile(loaded.analysis);
    serve(loaded.analysis);
    if (connect === true && config.migrate) await lifecycle.adopt(first, plans.tables);
  } catch (error) {
    await lifecycle.close();
    throw error;
  }

  let routes = hooks.routes;
  let broken = hasErrors(loaded.problems);
  let queue: Promise<unknown> = Promise.resolve();
  let closed: Promise<void> | null = null;

  async function reloadNow(): Promise<ReloadOutcome> {
    // A change that was noticed while closing must not open plugins again.
    if (closed !== null) return { applied: false, problems: loaded.problems, documents: loaded.analysis.documents };
    let next: LoadedDefinitions;
    try {
      next = await loadDefinitions(project, config);
    } catch (failure) {
      broken = true;
      return { applied: false, problems: loaded.problems, documents: loaded.analysis.documents, failure };
    }
    broken = hasErrors(next.problems);
    const seen = { problems: next.problems, documents: next.analysis.documents };
    if (broken && onProblem === 'refuse') return { applied: false, ...seen };
    let added: readonly Instance[] = [];
    const answered = hooks.routes;
    try {
      added = await instances.load(uses(next.analysis), config.chosen);
      if (connect === true) await lifecycle.open(added);
      const compiled = compile(next.analysis);
      if (connect === true && config.migrate) await lifecycle.adopt(instances.all, compiled.tables);
      const taken = broken ? keepServing(plans, compiled, next.analysis) : compiled;
      tellGuards(plans, taken, log);
      plans = taken;
      routes = hooks.routes;
      serve(next.analysis);
      loaded = next;
      return { applied: true, ...seen };
    } catch (failure) {
      broken = true;
      // What could not be opened must be tried again by the next reload, not taken for open.
      instances.forget(added);
      hooks.restoreRoutes(answered);
      await lifecycle.close(added);
      return { applied: false, ...seen, failure };
    }
  }

  return {
    project,
    config,
    hooks: live,
    routes: () => routes,
    log,
    plans: () => plans,
    analysis: () => loaded.analysis,
    problems: () => loaded.problems,
    degraded: () => broken,
    health: () => lifecycle.health(),
    outline: () => lifecycle.outline(instances.all, plans.tables),
    migrate: (progress) => lifecycle.migrate(instances.all, plans.tables, progress),
    ready: () => hooks.all.ready.promise({ resources: [...plans.byId.keys()] }),
    reload() {
      // One at a time: two reloads that overlap could swap in the older one last.
      const next = queue.then(reloadNow, reloadNow);
      queue = next;
      return next;
    },
    close(reason) {
      closed ??= (async () => {
        await hooks.all.close.promise(reason);
        for (const error of hooks.closeFailures) log.error({ err: error }, 'close hook failed');
        abort.abort();
        await queue.catch(() => undefined);
        await lifecycle.close();
      })();
      return closed;
    },
  };
}

const holdsTables = ({ runtime }: Instance): boolean => runtime.adopt !== undefined;

/** An address has one owner: a resource that a plugin's address hides would never be reached. */
function refuseTaken({ byPath }: PlanSet, routes: readonly PluginRoute[]): void {
  for (const { plugin, path } of routes) {
    const isTaken = (resource: string): boolean => (path.endsWith('/') ? resource.startsWith(path) : resource === path);
    const taken = [...byPath].find(([resource]) => isTaken(resource));
    if (taken === undefined) continue;
    throw new BootError('KRN_ROUTE', { name: plugin, path, what: `the resource "${taken[1].id}" has it` });
  }
}

/** A guard that is gone may be meant; it must not go unseen. */
function tellGuards(before: PlanSet, after: PlanSet, log: Log): void {
  for (const [id, { summary }] of after.byId) {
    const was = before.byId.get(id)?.summary.guard ?? summary.guard;
    if (was !== summary.guard)
      log.warn({ resource: id, was, is: summary.guard }, 'the guard of a resource has changed');
  }
}

/**
 * While files are broken, a resource that cannot be compiled keeps its last sound plan: saving half a thought must not
 * take an endpoint away. What its file no longer names at all is gone only when everything is sound again.
 */
function keepServing(before: PlanSet, after: PlanSet, analysis: Analysis): PlanSet {
  const sound = new Set(analysis.resources.filter((resource) => resource.sound).map((resource) => resource.id));
  const byPath = new Map(after.byPath);
  const byId = new Map(after.byId);
  for (const [id, plan] of before.byId) {
    if (sound.has(id)) continue;
    byId.set(id, plan);
    const paths = hasParameters(plan.path) ? [plan.id] : [plan.id, plan.path];
    for (const path of paths) if (!byPath.has(`/${path}`)) byPath.set(`/${path}`, plan);
  }
  return Object.freeze({ ...after, byPath, byId, patterns: keepPatterns(before, after, sound) });
}

/** A path that is served again, whatever its parameters are called now, takes the place of the one before. */
function keepPatterns(before: PlanSet, after: PlanSet, sound: ReadonlySet<string>): Patterns {
  const served = after.patterns.routes.filter(({ plan }) => plan !== null);
  const taken = new Set(served.map(({ path }) => pathShape(path)));
  const kept = before.patterns.routes.filter(
    ({ path, plan }) => plan !== null && !sound.has(plan.id) && !taken.has(pathShape(path)),
  );
  for (const { path } of kept) taken.add(pathShape(path));
  const broken = after.patterns.routes.filter(({ path, plan }) => plan === null && !taken.has(pathShape(path)));
  return compilePatterns([...served, ...kept, ...broken]);
}
