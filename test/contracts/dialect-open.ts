/** Opens a dialect by its runtime, without a kernel, with a discarded log. */
import { tmpdir } from 'node:os';
import type { MigrationProgress } from '../../contract/migration.js';
import type { Log, PluginRuntime, RuntimeContext } from '../../contract/plugin.js';
import type { Dialect } from '../../plugins/dialects/kind.js';
import type { OpenDialect } from './dialect-support.js';

function createContext(options: Readonly<Record<string, unknown>>, folder: string, log: Log): RuntimeContext {
  return {
    id: 'dialect:test',
    instance: 'main',
    options,
    log,
    signal: new AbortController().signal,
    env: () => undefined,
    folder,
    resolve: () => {
      throw new Error('nothing to resolve');
    },
  };
}

/** Seconds; only tests of the wait itself set a shorter one, because a busy machine may take more than the default. */
const LONG_WAIT = 20;

export async function openDialect(
  runtime: PluginRuntime<Dialect>,
  options: Readonly<Record<string, unknown>>,
  folder = tmpdir(),
): Promise<OpenDialect> {
  const doNothing = (): void => {};
  const context = createContext({ pool_wait: LONG_WAIT, ...options }, folder, {
    debug: doNothing,
    info: doNothing,
    warn: doNothing,
    error: doNothing,
  });
  const handle = runtime.create?.(context);
  if (!handle) throw new Error('no handle');
  await runtime.open?.(handle, context);
  return {
    handle,
    async syncSchema(tables, destroy = false) {
      const warnings: string[] = [];
      const statements: string[] = [];
      const log: Log = {
        ...context.log,
        warn: (_, message) => void warnings.push(message),
        debug: (fields) => void ('sql' in fields && statements.push(String(fields.sql))),
      };
      const progress: string[] = [];
      const recordProgress: MigrationProgress = (step, at, of) => {
        progress.push(`${at}/${of} ${step.store} ${step.table} ${step.change} ${step.detail}`);
      };
      await runtime.syncSchema?.(handle, tables, createContext(options, folder, log), recordProgress, { destroy });
      return { warnings, statements, progress };
    },
    plan: async (tables, destroy = false) =>
      (await runtime.plan?.(handle, tables, context, { destroy })) ?? { steps: [], warnings: [] },
    close: async () => runtime.close?.(handle),
    health: async () => (await runtime.health?.(handle))?.ok,
  };
}
