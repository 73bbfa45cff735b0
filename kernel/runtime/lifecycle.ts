/**
 * Opens plugins in order and closes them in reverse, each within a deadline, and asks how they are. A plugin that does
 * not answer in time is named; it never hangs the start or the end.
 */
import { BootError } from '../contract/boot-error.js';
import type { MigrationOutline, MigrationProgress } from '../contract/migration.js';
import type { ModelTable } from '../contract/model.js';
import { Fault } from '../contract/fault.js';
import { fillMessage, type CodeEntry } from '../contract/problem.js';
import type { Health, Log } from '../contract/plugin.js';
import type { Instance } from './instances.js';

const PREPARE = 'prepare its tables';
/** Seconds; a probe that waits longer learns nothing more. */
const HEALTH_DEADLINE = 1;
/** Work that takes longer than the first is mentioned, and again after each of the second. Milliseconds. */
const PATIENCE = 1000;
const REMINDER = 5000;

export interface Lifecycle {
  open(instances: readonly Instance[]): Promise<void>;
  adopt(instances: readonly Instance[], tables: readonly ModelTable[]): Promise<void>;
  /** As `adopt`, for as long as it takes; `progress` hears of each step. */
  migrate(instances: readonly Instance[], tables: readonly ModelTable[], progress: MigrationProgress): Promise<void>;
  /** What `migrate` would do, in the order in which it would. */
  outline(instances: readonly Instance[], tables: readonly ModelTable[]): Promise<MigrationOutline>;
  /** Closes what is open, or these alone, in reverse order. */
  close(only?: readonly Instance[]): Promise<void>;
  health(): Promise<Readonly<Record<string, Health>>>;
}

export interface LifecycleInput {
  /** Seconds. */
  readonly deadlines: { readonly open: number; readonly close: number };
  readonly codes: Readonly<Record<string, CodeEntry>>;
  readonly log: Log;
}

export function createLifecycle({ deadlines, codes, log }: LifecycleInput): Lifecycle {
  const opened: Instance[] = [];
  /** Anybody may look at the status page: whoever comes while the plugins are asked gets the same answer. */
  let asking: Promise<Healths> | null = null;
  const named = async <T>(instance: Instance, what: string, call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      if (error instanceof BootError) throw error;
      throw new BootError('PLG_OPEN', { name: instance.key, what, detail: wordsOf(error, codes) }, error);
    }
  };
  /** Within the deadline, and mentioned when it takes long; `latest` says how far it is. */
  const run = (
    instance: Instance,
    what: string,
    call: () => Promise<void> | undefined,
    latest: () => object = () => ({}),
  ): Promise<void> =>
    named(instance, what, async () => {
      const work = call();
      if (work === undefined) return;
      const started = performance.now();
      const mention = (): void => {
        const seconds = Math.round((performance.now() - started) / 1000);
        log.info({ plugin: instance.key, ...latest(), seconds }, `waiting for the plugin to ${what}`);
        timer = setTimeout(mention, REMINDER);
      };
      let timer = setTimeout(mention, PATIENCE);
      try {
        await within(work, deadlines.open, instance.key, what);
      } finally {
        clearTimeout(timer);
      }
    });
  return {
    async open(instances) {
      for (const instance of instances) {
        const started = performance.now();
        // Before opening: a plugin that fails half-way has to be closed too.
        opened.push(instance);
        await run(instance, 'open', () => instance.runtime.open?.(instance.handle(), instance.context));
        const ms = Math.round(performance.now() - started);
        const importMs = Math.round(instance.importTime);
        log.debug({ plugin: instance.key, importMs, openMs: ms }, 'plugin open');
      }
    },
    async adopt(instances, tables) {
      for (const instance of instances) {
        const { runtime, context } = instance;
        let latest: object = {};
        const progress: MigrationProgress = ({ table, change }, at, of) => {
          latest = { table, change, step: `${at} of ${of}` };
        };
        const adopt = (): Promise<void> | undefined => runtime.adopt?.(instance.handle(), tables, context, progress);
        await run(instance, PREPARE, adopt, () => latest);
      }
    },
    async migrate(instances, tables, progress) {
      for (const instance of instances) {
        const { runtime, context } = instance;
        await named(instance, PREPARE, async () => runtime.adopt?.(instance.handle(), tables, context, progress));
      }
    },
    async outline(instances, tables) {
      const parts: MigrationOutline[] = [];
      for (const instance of instances) {
        const { runtime, context } = instance;
        const plan = async () => runtime.plan?.(instance.handle(), tables, context);
        const part = await named(instance, 'look at its tables', plan);
        if (part !== undefined) parts.push(part);
      }
      return {
        steps: parts.flatMap(({ steps }) => steps),
        warnings: parts.flatMap(({ warnings }) => warnings),
      };
    },
    async close(only = opened) {
      const closing = opened.filter((instance) => only.includes(instance)).reverse();
      for (const instance of closing) {
        opened.splice(opened.indexOf(instance), 1);
        try {
          const work = instance.runtime.close?.(instance.handle());
          if (work !== undefined) await within(work, deadlines.close, instance.key, 'close');
        } catch (error) {
          log.error({ plugin: instance.key, err: error }, 'plugin did not close');
        }
      }
    },
    health: () => (asking ??= askAll(opened).finally(() => (asking = null))),
  };
}

type Healths = Readonly<Record<string, Health>>;

async function askAll(opened: readonly Instance[]): Promise<Healths> {
  const asked = opened.filter((instance) => instance.runtime.health !== undefined);
  const answers = await Promise.all(asked.map(async (instance) => [instance.key, await ask(instance)] as const));
  return Object.fromEntries(answers);
}

async function ask(instance: Instance): Promise<Health> {
  try {
    const answer = instance.runtime.health?.(instance.handle()) ?? Promise.resolve({ ok: true });
    return await within(answer, HEALTH_DEADLINE, instance.key, 'answer');
  } catch {
    return { ok: false, detail: 'no answer' };
  }
}

/** Rejects with PLG_TIMEOUT after `seconds`. */
async function within<T>(work: Promise<T>, seconds: number, name: string, what: string): Promise<T> {
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

function wordsOf(error: unknown, codes: Readonly<Record<string, CodeEntry>>): string {
  if (error instanceof Fault) return fillMessage(codes[error.code]?.message ?? error.code, error.params);
  return error instanceof Error ? error.message : 'it failed';
}
