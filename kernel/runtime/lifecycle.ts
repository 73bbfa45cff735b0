/**
 * Opens plugins in order, closes them in reverse and checks their health, each call within a deadline.
 * `retry-unavailable.ts` retries unavailable servers.
 */
import { BootError } from '../../contract/boot-error.js';
import type { MigrationProgress } from '../../contract/migration.js';
import type { ModelTable } from '../../contract/model.js';
import { Fault } from '../../contract/fault.js';
import type { CodeEntry } from '../../contract/problem.js';
import type { Health, Log } from '../../contract/plugin.js';
import type { Script } from '../../contract/statement-check.js';
import { attributeFailure } from '../../language/project/plugin-failures.js';
import { SYNC, selectTables } from '../../language/project/store-changes.js';
import type { Instance, Instances } from './instances.js';

/** Seconds that a caller waits for the health of a plugin. */
const HEALTH_DEADLINE = 1;
/** Milliseconds that a good answer counts while the next one is awaited. */
const GRACE = 5000;
/** Seconds; the process is about to end when claims are released. */
const ABANDON_DEADLINE = 1;
/** Milliseconds until slow work is logged, and between reminders. */
const PATIENCE = 1000;
const REMINDER = 5000;

export type Lifecycle = ReturnType<typeof createLifecycle>;

/** Any other error is permanent. */
export const isServerUnavailable = (error: unknown): boolean =>
  error instanceof BootError && error.cause instanceof Fault && error.cause.options.retryable === true;

export const getDetail = (error: unknown): string =>
  error instanceof BootError ? String(error.params['detail'] ?? error.code) : 'it failed';

export interface LifecycleInput {
  /** Seconds. */
  readonly deadlines: { readonly open: number; readonly close: number };
  readonly codes: Readonly<Record<string, CodeEntry>>;
  readonly log: Log;
  readonly scripts: (instance: Instance) => Promise<readonly Script[]>;
}

export function createLifecycle({ deadlines, codes, log, scripts }: LifecycleInput) {
  const opened: Instance[] = [];
  const unavailable = new Map<string, string>();
  /** Shared by concurrent callers, because the status page is public. */
  let asking: Promise<Healths> | null = null;
  const checks: HealthChecks = new Map();
  /** Enforces the deadline and logs slow calls with the progress from `latest`. */
  const run = (
    instance: Instance,
    what: string,
    call: () => Promise<void> | undefined,
    latest: () => object = () => ({}),
  ): Promise<void> =>
    attributeFailure(instance.key, what, codes, async () => {
      const work = call();
      if (work === undefined) return;
      const started = performance.now();
      const logProgress = (): void => {
        const seconds = Math.round((performance.now() - started) / 1000);
        log.info({ plugin: instance.key, ...latest(), seconds }, `waiting for the plugin to ${what}`);
        timer = setTimeout(logProgress, REMINDER);
      };
      let timer = setTimeout(logProgress, PATIENCE);
      try {
        await withDeadline(work, deadlines.open, instance.key, what);
      } finally {
        clearTimeout(timer);
      }
    });
  async function openOne(instance: Instance): Promise<void> {
    const started = performance.now();
    // Added first, because a plugin must be closed even if its `open` fails half-way.
    opened.push(instance);
    await run(instance, 'open', () => instance.runtime.open?.(instance.handle(), instance.context));
    const ms = Math.round(performance.now() - started);
    const importMs = Math.round(instance.importTime);
    log.debug({ plugin: instance.key, importMs, openMs: ms }, 'plugin open');
  }
  /** Runs in parallel; a failure is logged and does not stop the others. */
  async function callAll(what: string, call: (instance: Instance) => Promise<void> | undefined): Promise<void> {
    const checked = opened.filter(({ key }) => !unavailable.has(key));
    await Promise.all(
      checked.map(async (instance) => {
        try {
          await call(instance);
        } catch (error) {
          log.error({ plugin: instance.key, err: error }, `plugin did not ${what}`);
        }
      }),
    );
  }
  return {
    /** Reasons by key of the unavailable instances. */
    unavailable,
    async open(instances: readonly Instance[]) {
      for (const instance of instances) await openOne(instance);
    },
    /** Returns the instances with unavailable servers and records them in `unavailable`. */
    async openAvailable(
      instances: readonly Instance[],
      reach: Instances['collectDependencies'],
    ): Promise<readonly Instance[]> {
      const pending: Instance[] = [];
      for (const instance of instances) {
        try {
          // Dependencies are known once the handle exists.
          instance.handle();
          const needed = [...reach([instance.key])].find((key) => unavailable.has(key));
          if (needed === undefined) {
            await openOne(instance);
            continue;
          }
          opened.push(instance);
          unavailable.set(instance.key, `it needs ${needed}`);
        } catch (error) {
          if (!isServerUnavailable(error)) throw error;
          unavailable.set(instance.key, getDetail(error));
        }
        pending.push(instance);
        log.warn({ plugin: instance.key, reason: unavailable.get(instance.key) }, 'server unavailable, retrying');
      }
      return pending;
    },
    /** Has no deadline, because attempts must not overlap. */
    async reopenInstance(instance: Instance) {
      if (!opened.includes(instance)) opened.push(instance);
      await attributeFailure(instance.key, 'open', codes, async () =>
        instance.runtime.open?.(instance.handle(), instance.context),
      );
    },
    drain: () => callAll('finish its jobs', (instance) => instance.runtime.drain?.(instance.handle())),
    /** Waits at most a second for each instance. */
    releaseClaims: () =>
      callAll('release its jobs', (instance) => {
        const work = instance.runtime.releaseClaims?.(instance.handle());
        return work && withDeadline(work, ABANDON_DEADLINE, instance.key, 'release its jobs');
      }),
    /** True: plans have to be compiled again. */
    async syncSchemas(instances: readonly Instance[], tables: readonly ModelTable[]) {
      let isStale = false;
      for (const instance of instances) {
        const { runtime, context } = instance;
        let latest: object = {};
        const recordProgress: MigrationProgress = ({ table, change }, at, of) => {
          latest = { table, change, step: `${at} of ${of}` };
        };
        const syncInstance = async (): Promise<void> => {
          const how = { destroy: false, scripts: await scripts(instance) };
          const tablesHere = selectTables(instance, tables);
          const found = await runtime.syncSchema?.(instance.handle(), tablesHere, context, recordProgress, how);
          isStale ||= found === true;
        };
        if (runtime.syncSchema !== undefined) await run(instance, SYNC, syncInstance, () => latest);
      }
      return isStale;
    },
    async serve(instances: readonly Instance[]) {
      for (const instance of instances) {
        await run(instance, 'begin its work', () => instance.runtime.serve?.(instance.handle(), instance.context));
      }
    },
    /** Closes all open instances, or only these, in reverse order. */
    async close(only: readonly Instance[] = opened) {
      const closing = opened.filter((instance) => only.includes(instance)).reverse();
      for (const instance of closing) {
        opened.splice(opened.indexOf(instance), 1);
        try {
          const work = instance.runtime.close?.(instance.handle());
          if (work !== undefined) await withDeadline(work, deadlines.close, instance.key, 'close');
        } catch (error) {
          log.error({ plugin: instance.key, err: error }, 'plugin did not close');
        }
      }
    },
    health: () => (asking ??= checkHealth(opened, unavailable, checks).finally(() => (asking = null))),
  };
}

type HealthChecks = Map<string, { running: Promise<Health> | null; healthyAt: number }>;
const NO_RESPONSE: Health = { ok: false, detail: 'no response' };
type Healths = Readonly<Record<string, Health>>;

async function checkHealth(
  opened: readonly Instance[],
  unavailable: ReadonlyMap<string, string>,
  checks: HealthChecks,
): Promise<Healths> {
  const checked = opened.filter(({ key, runtime }) => unavailable.has(key) || runtime.health !== undefined);
  const answers = await Promise.all(
    checked.map(async (instance) => {
      const reason = unavailable.get(instance.key);
      const health =
        reason === undefined
          ? await checkInstanceHealth(instance, checks)
          : { ok: false, detail: `waiting: ${reason}` };
      return [instance.key, health] as const;
    }),
  );
  return Object.fromEntries(answers);
}

/** A failure counts at once; a slow plugin stays healthy for a while, because readiness must not change with a round trip. */
async function checkInstanceHealth(instance: Instance, checks: HealthChecks): Promise<Health> {
  const known = checks.get(instance.key) ?? { running: null, healthyAt: -Infinity };
  checks.set(instance.key, known);
  known.running ??= (async () => instance.runtime.health?.(instance.handle()) ?? { ok: true })()
    .catch(() => NO_RESPONSE)
    .then((health) => {
      known.running = null;
      known.healthyAt = health.ok ? performance.now() : -Infinity;
      return health;
    });
  try {
    return await withDeadline(known.running, HEALTH_DEADLINE, instance.key, 'answer');
  } catch {
    return performance.now() - known.healthyAt < GRACE ? { ok: true, detail: 'slow to respond' } : NO_RESPONSE;
  }
}

async function withDeadline<T>(work: Promise<T>, seconds: number, name: string, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BootError('PLG_TIMEOUT', { name, what, seconds })), seconds * 1000);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
