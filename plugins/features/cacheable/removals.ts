/**
 * Retries removals that the cache store rejected until they succeed; keys that wait for removal are not read meanwhile. The list
 * is bounded, and errors of the store are logged at most once a minute.
 */
import type { Log } from '../../../contract/plugin.js';
import type { Requester } from '../../../contract/requester.js';
import type { Cache } from '../../caches/kind.js';
import { endAtDeadline } from '../../shared/deadline.js';

const MOST_WAITING = 10_000;
/** Milliseconds. */
const RETRY = 500;
const QUIET = 60_000;

export interface Removals {
  /** At the deadline of `asker`, the removal is pending like a rejected one. */
  remove(keys: readonly string[], asker?: Pick<Requester, 'invocation'> | null): void | Promise<void>;
  isWaiting(key: string): boolean;
  /** Logs an error of the store, at most once per QUIET interval. */
  readonly logError: (error: unknown) => void;
}

export function createRemovals(cache: Cache, log: Log): Removals {
  const owed = new Set<string>();
  let timer: NodeJS.Timeout | null = null;
  let toldAt = -Infinity;

  function logError(error: unknown): void {
    const now = performance.now();
    if (now - toldAt < QUIET) return;
    toldAt = now;
    log.warn({ err: error }, 'cache unavailable: results are computed, invalidations are pending');
  }

  function queueRemoval(keys: readonly string[], error: unknown): void {
    logError(error);
    for (const key of keys) owed.add(key);
    for (const key of owed) {
      if (owed.size <= MOST_WAITING) break;
      // The entry now lives until it expires; an unbounded list would let an unavailable store exhaust the memory.
      owed.delete(key);
      log.error({ key }, 'too many pending cache invalidations: one is dropped');
    }
    timer ??= setTimeout(retry, RETRY).unref();
  }

  function retry(): void {
    timer = null;
    const keys = [...owed];
    Promise.resolve()
      .then(() => cache.remove(keys))
      .then(
        () => keys.forEach((key) => owed.delete(key)),
        (error: unknown) => queueRemoval([], error),
      );
  }

  return {
    remove(keys, asker = null) {
      try {
        const removed = endAtDeadline(cache.remove(keys), asker, 'cache store');
        return removed?.catch((error: unknown) => queueRemoval(keys, error));
      } catch (error) {
        return queueRemoval(keys, error);
      }
    },
    isWaiting: (key) => owed.size > 0 && owed.has(key),
    logError,
  };
}
