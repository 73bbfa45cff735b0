/**
 * Retries removals that the store rejected; keys that wait for removal are not read. The list is bounded, errors are
 * logged at most once a minute.
 */
import type { Log } from '../../../contract/plugin.js';
import type { Cache } from '../../caches/kind.js';
import type { Waiting } from '../../shared/deadline.js';

const MOST_WAITING = 10_000;
/** Milliseconds. */
const RETRY = 500;
const LOG_INTERVAL = 60_000;
/** How long the request waits for its removal, and between the attempts. */
const BRIEFLY = 1500;
const FIRST_PAUSE = 10;
const LONGEST_PAUSE = 200;

export interface Removals {
  /** At the deadline of `requester`, it is pending like a rejected one. */
  remove(keys: readonly string[], requester?: Waiting | null): void | Promise<void>;
  isWaiting(key: string): boolean;
  /** At most once per QUIET interval. */
  readonly logError: (error: unknown) => void;
}

export function createRemovals(cache: Cache, log: Log): Removals {
  const owed = new Set<string>();
  let timer: NodeJS.Timeout | null = null;
  let loggedAt = -Infinity;

  function logError(error: unknown): void {
    const now = performance.now();
    if (now - loggedAt < LOG_INTERVAL) return;
    loggedAt = now;
    log.warn({ err: error }, 'cache unavailable: results are computed, invalidations are pending');
  }

  function queueRemoval(keys: readonly string[], error: unknown): void {
    logError(error);
    for (const key of keys) owed.add(key);
    for (const key of owed) {
      if (owed.size <= MOST_WAITING) break;
      // The entry lives until it expires: an unbounded list could exhaust the memory.
      owed.delete(key);
      // Without the key, which contains values of requests.
      log.error({}, 'too many pending cache invalidations: one is dropped');
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

  /**
   * A response acknowledges the removal. So a lost connection or a late reply is repaired before it; only an
   * unavailable store leaves the removal pending.
   */
  async function retryBriefly(keys: readonly string[], first: Promise<void>, requester: Waiting | null): Promise<void> {
    const end = Math.min(performance.now() + BRIEFLY, requester?.invocation.deadline ?? Infinity);
    let attempt = first;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        return await awaitUntil(attempt, end);
      } catch (error) {
        if (performance.now() + pause >= end) return queueRemoval(keys, error);
        // Not read here meanwhile.
        for (const key of keys) owed.add(key);
        await new Promise((resolve) => void setTimeout(resolve, pause));
        attempt = Promise.resolve().then(() => cache.remove(keys));
        attempt.then(() => keys.forEach((key) => owed.delete(key))).catch(() => undefined);
      }
    }
  }

  return {
    remove(keys, requester = null) {
      try {
        const removed = cache.remove(keys);
        return removed instanceof Promise ? retryBriefly(keys, removed, requester) : undefined;
      } catch (error) {
        return queueRemoval(keys, error);
      }
    },
    isWaiting: (key) => owed.size > 0 && owed.has(key),
    logError,
  };
}

/** The attempt goes on after `end`, in milliseconds of `performance.now()`. */
async function awaitUntil(attempt: Promise<void>, end: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), Math.max(0, end - performance.now()));
  });
  try {
    await Promise.race([attempt, late]);
  } finally {
    clearTimeout(timer);
    attempt.catch(() => undefined);
  }
}
