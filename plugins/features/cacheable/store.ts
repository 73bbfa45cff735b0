/**
 * Entries of one name belong to a generation that the store holds under that name; removing it makes all unreachable.
 * An unavailable store fails no request.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../contract/plugin.js';
import type { Cache } from '../../caches/kind.js';
import { endAtDeadline, type Waiting } from '../../shared/deadline.js';
import { createRemovals } from './removals.js';

/** Outlives the entries. It expires because names contain client input, which must not fill the store. */
const GENERATION_SECONDS = 600;
const GENERATION_LIVES = 4;
/** Milliseconds a request waits for another to compute the entry. */
const PATIENCE = 10_000;

/** Milliseconds between polls for another process: initial and maximum. */
const FIRST_LOOK = 5;
const LONGEST_LOOK = 100;

/** The right to store the value that the caller computes. */
export interface ComputationLease {
  readonly entry: string;
  readonly lease: string;
  /** Null: another request computes the same entry and exceeds the wait. */
  readonly flight: SharedComputation | null;
  /** Token of the lock among processes; null or absent without a shared store, or after the wait. */
  readonly token?: string | null;
}

export type CacheLookup = { readonly value: Uint8Array } | { readonly heldLease: ComputationLease | null };

export interface CacheEntryStore {
  /** Returns the bytes synchronously where the store is in this process; null: call `find`. */
  getLocalBytes(name: string, variant: string): Uint8Array | null;
  /** Returns the bytes, or a lease; a null lease means that the store is unavailable. */
  find(
    name: string,
    variant: string,
    seconds: number,
    mine: ComputationLease | undefined,
    requester?: Waiting | null,
  ): Promise<CacheLookup>;
  completeComputation(heldLease: ComputationLease, value: Uint8Array, seconds: number): void;
  /** Ends a failed computation; a waiting request then computes itself. */
  failComputation(heldLease: ComputationLease): void;
  /** Now or when the store is available again. Never rejects. */
  remove(names: readonly string[], requester?: Waiting | null): void | Promise<void>;
}

const nameKey = (name: string): string => `n${name}`;
const entryKey = (generation: string, variant: string): string => `e${generation}${variant}`;
const toLatin1 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');

export function createStore(cache: Cache, log: Log): CacheEntryStore {
  const flights = createComputations();
  const removals = createRemovals(cache, log);
  const { logError } = removals;
  let isFar = false;

  async function resolveGeneration(name: string, seconds: number): Promise<string> {
    const key = nameKey(name);
    const { value, lease } = await cache.getValue(key);
    if (value !== null) return toLatin1(value);
    const generation = randomBytes(12).toString('base64url');
    await cache.setValue(
      key,
      Buffer.from(generation, 'latin1'),
      Math.max(seconds * GENERATION_LIVES, GENERATION_SECONDS),
      lease,
    );
    // Of several concurrent writers the first wins. If it is removed already, entries stored for this generation are never
    // found.
    const first = await cache.getValue(key);
    return first.value === null ? generation : toLatin1(first.value);
  }

  /** Reads a store of this process synchronously; one that returns a promise is tried once. */
  function readLocal(key: string): Uint8Array | null {
    const recall = cache.getValue(key);
    if (!(recall instanceof Promise)) return recall.value;
    isFar = true;
    recall.catch(logError);
    return null;
  }

  /** The cached value, or the right to compute it; `false`: retry. */
  async function findOrLease(
    entry: string,
    end: number,
    mine: ComputationLease | undefined,
  ): Promise<CacheLookup | false> {
    const { value, lease } = await cache.getValue(entry);
    if (value !== null) return { value };
    // A retried transaction calls this twice.
    if (mine?.entry === entry) return { heldLease: mine };
    const flight = flights.get(entry);
    // A computation that exceeds PATIENCE may never end.
    if (flight === undefined || performance.now() - flight.since > PATIENCE)
      return awaitLockOrValue({ entry, lease, flight: flights.register(entry) }, end);
    const landed = await awaitComputation(flight, end - performance.now());
    if (landed === undefined) return { heldLease: { entry, lease, flight: null } };
    return landed !== null && { value: landed };
  }

  /** One process computes; the others poll until the deadline. */
  async function awaitLockOrValue(
    heldLease: ComputationLease & { readonly flight: SharedComputation },
    end: number,
  ): Promise<CacheLookup> {
    const { entry, flight } = heldLease;
    const token = randomBytes(12).toString('base64url');
    try {
      for (let pause = FIRST_LOOK; ; pause = Math.min(pause * 2, LONGEST_LOOK)) {
        const left = (await cache.claim?.(entry, token, PATIENCE)) ?? 0;
        if (left === 0) return { heldLease: { ...heldLease, token } };
        if (left > 0 && performance.now() > end) return { heldLease };
        if (left > 0) await sleep(Math.min(pause, left));
        const { value } = await cache.getValue(entry);
        if (value === null) continue;
        flights.unregister(entry, flight);
        flight.complete(value);
        return { value };
      }
    } catch (error) {
      flights.unregister(entry, flight);
      flight.complete(null);
      throw error;
    }
  }

  const release = ({ entry, token }: ComputationLease): void | Promise<void> =>
    token === null || token === undefined ? undefined : cache.release?.(entry, token);

  async function findEntry(
    name: string,
    variant: string,
    seconds: number,
    mine: ComputationLease | undefined,
    end: number,
  ): Promise<CacheLookup> {
    const entry = entryKey(await resolveGeneration(name, seconds), variant);
    for (;;) {
      const found = await findOrLease(entry, end, mine);
      if (found !== false) return found;
    }
  }

  function failComputation(heldLease: ComputationLease): void {
    const { entry, flight } = heldLease;
    if (flight === null || flight.over) return;
    flights.unregister(entry, flight);
    flight.complete(null);
    Promise.resolve()
      .then(() => release(heldLease))
      .catch(logError);
  }

  /** The request is over, so it does not compute the value. */
  const failLateLookup = (found: CacheLookup): void => {
    if ('heldLease' in found && found.heldLease !== null) failComputation(found.heldLease);
  };

  return {
    getLocalBytes(name, variant) {
      const key = nameKey(name);
      if (isFar || removals.isWaiting(key)) return null;
      const generation = readLocal(key);
      return generation === null ? null : readLocal(entryKey(toLatin1(generation), variant));
    },
    async find(name, variant, seconds, mine, requester = null) {
      if (removals.isWaiting(nameKey(name))) return { heldLease: null };
      try {
        const end = Math.min(requester?.invocation.deadline ?? Infinity, performance.now() + PATIENCE);
        return await endAtDeadline(
          findEntry(name, variant, seconds, mine, end),
          requester,
          'cache store',
          failLateLookup,
        );
      } catch (error) {
        logError(error);
        return { heldLease: null };
      }
    },
    completeComputation(heldLease, value, seconds) {
      const { entry, lease, flight } = heldLease;
      flight?.complete(value);
      // The flight stays registered until the store has the value.
      const removeComputation = (): void => void (flight && flights.unregister(entry, flight));
      Promise.resolve()
        .then(() => cache.setValue(entry, value, seconds, lease))
        .catch(logError)
        // Otherwise other processes would wait for a value that never comes.
        .then(() => release(heldLease))
        .catch(logError)
        .finally(removeComputation);
    },
    failComputation,
    remove: (names, requester = null) => removals.remove(names.map(nameKey), requester),
  };
}

/**
 * Concurrent requests of this process share one computation of an entry. When it fails, a waiting request takes over.
 */
interface SharedComputation {
  readonly result: Promise<Uint8Array | null>;
  /** Settles the flight once; null: the computation failed. */
  complete(value: Uint8Array | null): void;
  over: boolean;
  /** Milliseconds of `performance.now()`. */
  readonly since: number;
}

interface SharedComputations {
  get(entry: string): SharedComputation | undefined;
  register(entry: string): SharedComputation;
  /** Unregisters the flight, so that no further request joins it. */
  unregister(entry: string, flight: SharedComputation): void;
}

function createComputations(): SharedComputations {
  const all = new Map<string, SharedComputation>();
  return {
    get: (entry) => all.get(entry),
    register(entry) {
      let resolve: SharedComputation['complete'] = () => undefined;
      const landed = new Promise<Uint8Array | null>((settle) => (resolve = settle));
      const flight: SharedComputation = {
        result: landed,
        complete(value) {
          flight.over = true;
          resolve(value);
        },
        over: false,
        since: performance.now(),
      };
      all.set(entry, flight);
      return flight;
    },
    unregister(entry, flight) {
      if (all.get(entry) === flight) all.delete(entry);
    },
  };
}

/** Returns the value of a flight, or undefined after `milliseconds`. */
async function awaitComputation(
  flight: SharedComputation,
  milliseconds: number,
): Promise<Uint8Array | null | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), milliseconds)));
  try {
    return await Promise.race([flight.result, late]);
  } finally {
    clearTimeout(timer);
  }
}
