/**
 * Checks the health of plugins. A failure counts at once; a server that is merely slow stays healthy for some seconds after its
 * last good answer, because readiness must not change with the length of a round trip.
 */
import type { Health } from '../../contract/plugin.js';
import type { Instance } from './instances.js';

/** Milliseconds that a caller waits for an answer. */
const PATIENCE = 1000;
/** Milliseconds that a good answer counts while the next one is awaited. */
const GRACE = 5000;

export interface HealthChecks {
  check(instance: Instance): Promise<Health>;
}

interface KnownHealth {
  /** Not repeated while it runs, so that slow checks do not add up. */
  running: Promise<Health> | null;
  goodAt: number;
}

export function createHealthChecks(now: () => number = () => performance.now()): HealthChecks {
  const all = new Map<string, KnownHealth>();

  async function runCheck({ runtime, handle }: Instance, known: KnownHealth): Promise<Health> {
    try {
      const health = (await runtime.health?.(handle())) ?? { ok: true };
      known.goodAt = health.ok ? now() : -Infinity;
      return health;
    } catch {
      known.goodAt = -Infinity;
      return { ok: false, detail: 'no response' };
    } finally {
      known.running = null;
    }
  }

  return {
    async check(instance) {
      const known = all.get(instance.key) ?? { running: null, goodAt: -Infinity };
      all.set(instance.key, known);
      const running = (known.running ??= runCheck(instance, known));
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<Health>((resolve) => {
        const answerLate = (): void => {
          const isGood = now() - known.goodAt < GRACE;
          resolve(isGood ? { ok: true, detail: 'slow to respond' } : { ok: false, detail: 'no response' });
        };
        timer = setTimeout(answerLate, PATIENCE);
      });
      return Promise.race([running, late]).finally(() => clearTimeout(timer));
    },
  };
}
