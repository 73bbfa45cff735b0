/**
 * Entries of one name belong to a generation, which the store keeps under that name: removing the name ends the generation, and
 * nothing that was stored for it, or is computed for it just now, is ever found again. The store being away is nobody's failure.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Log } from '../../../kernel/contract/plugin.js';
import type { Cache } from '../../kinds/cache.js';
import { createFlights, landedWithin, type Flight } from './flights.js';
import { createRemovals } from './removals.js';

/**
 * A generation outlives its entries; when it is forgotten early, they are only computed again. No longer than that: names hold
 * what clients send, and a store must not be filled with names of entries that are over.
 */
const GENERATION_SECONDS = 600;
const GENERATION_LIVES = 4;
/** Milliseconds that somebody waits for another one to compute the same. */
const PATIENCE = 10_000;

/** ... and between two looks for what another process computes: the first of them, and at most. */
const FIRST_LOOK = 5;
const LONGEST_LOOK = 100;

/** The right to store what is computed now. */
export interface Errand {
  readonly entry: string;
  readonly lease: string;
  /** Null: somebody else computes the same and takes long. */
  readonly flight: Flight | null;
  /** Of the right among processes to compute it; null where they do not share the store, or another one takes long. */
  readonly token?: string | null;
}

export type Found = { readonly value: Uint8Array } | { readonly errand: Errand | null };

export interface Store {
  /** The bytes at once where the store has them in this process; null: ask `find`. */
  peek(name: string, variant: string): Uint8Array | null;
  /** The bytes, perhaps somebody else's who computes them just now, or an errand. No errand: the store is away. */
  find(name: string, variant: string, seconds: number, mine: Errand | undefined, until?: number): Promise<Found>;
  /** Keeps what was computed and gives it to those who wait. */
  finish(errand: Errand, value: Uint8Array, seconds: number): void;
  /** Nothing came of it; whoever waits tries itself. */
  giveUp(errand: Errand): void;
  /** Ends the generations of these names, now or as soon as the store is back. Never fails. */
  remove(names: readonly string[]): void | Promise<void>;
}

const nameKey = (name: string): string => `n${name}`;
const entryKey = (generation: string, variant: string): string => `e${generation}${variant}`;
const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');

export function createStore(cache: Cache, log: Log): Store {
  const flights = createFlights();
  const removals = createRemovals(cache, log);
  const { tell } = removals;
  let isFar = false;
  /** Generations that were read already, by the bytes that the store holds. */
  const texts = new WeakMap<Uint8Array, string>();

  async function generationOf(name: string, seconds: number): Promise<string> {
    const key = nameKey(name);
    const { value, lease } = await cache.recall(key);
    if (value !== null) return textOf(value);
    const generation = randomBytes(12).toString('base64url');
    await cache.keep(
      key,
      Buffer.from(generation, 'latin1'),
      Math.max(seconds * GENERATION_LIVES, GENERATION_SECONDS),
      lease,
    );
    // Of several that begin one at the same time, one was first. Removed already: nobody will find what is stored for it.
    const first = await cache.recall(key);
    return first.value === null ? generation : textOf(first.value);
  }

  /** What a store in this process has; one that is far away is asked once, and then never again in this way. */
  function atOnce(key: string): Uint8Array | null {
    const recall = cache.recall(key);
    if (!(recall instanceof Promise)) return recall.value;
    isFar = true;
    recall.catch(tell);
    return null;
  }

  /** The value, or the right to make it; `false`: somebody who made it failed, look again. */
  async function attempt(entry: string, end: number, mine: Errand | undefined): Promise<Found | false> {
    const { value, lease } = await cache.recall(entry);
    if (value !== null) return { value };
    // A unit of work that is tried again comes here twice.
    if (mine?.entry === entry) return { errand: mine };
    const flight = flights.get(entry);
    // One that takes as long may never come back.
    if (flight === undefined || performance.now() - flight.since > PATIENCE)
      return inTurn({ entry, lease, flight: flights.begin(entry) }, end);
    const landed = await landedWithin(flight, end - performance.now());
    if (landed === undefined) return { errand: { entry, lease, flight: null } };
    return landed !== null && { value: landed };
  }

  /** Among processes one computes at a time; the others look for what it stores, until its time is over. */
  async function inTurn(errand: Errand & { readonly flight: Flight }, end: number): Promise<Found> {
    const { entry, flight } = errand;
    const token = randomBytes(12).toString('base64url');
    try {
      for (let pause = FIRST_LOOK; ; pause = Math.min(pause * 2, LONGEST_LOOK)) {
        const left = (await cache.claim?.(entry, token, PATIENCE)) ?? 0;
        if (left === 0) return { errand: { ...errand, token } };
        if (left > 0 && performance.now() > end) return { errand };
        if (left > 0) await setTimeout(Math.min(pause, left));
        const { value } = await cache.recall(entry);
        if (value === null) continue;
        flights.end(entry, flight);
        flight.land(value);
        return { value };
      }
    } catch (error) {
      flights.end(entry, flight);
      flight.land(null);
      throw error;
    }
  }

  /** Others need not wait for the end of its time. */
  const release = ({ entry, token }: Errand): void | Promise<void> =>
    token === null || token === undefined ? undefined : cache.release?.(entry, token);

  return {
    peek(name, variant) {
      if (isFar || removals.waiting(nameKey(name))) return null;
      const generation = atOnce(nameKey(name));
      if (generation === null) return null;
      let text = texts.get(generation);
      if (text === undefined) texts.set(generation, (text = textOf(generation)));
      return atOnce(entryKey(text, variant));
    },
    async find(name, variant, seconds, mine, until = Infinity) {
      if (removals.waiting(nameKey(name))) return { errand: null };
      try {
        const entry = entryKey(await generationOf(name, seconds), variant);
        const end = Math.min(until, performance.now() + PATIENCE);
        for (;;) {
          const found = await attempt(entry, end, mine);
          if (found !== false) return found;
        }
      } catch (error) {
        tell(error);
        return { errand: null };
      }
    },
    finish(errand, value, seconds) {
      const { entry, lease, flight } = errand;
      flight?.land(value);
      // Joined until the store has it: whoever comes meanwhile need not compute.
      const over = (): void => void (flight && flights.end(entry, flight));
      Promise.resolve()
        .then(() => cache.keep(entry, value, seconds, lease))
        .then(() => release(errand))
        .catch(tell)
        .finally(over);
    },
    giveUp(errand) {
      const { entry, flight } = errand;
      if (flight === null || flight.over) return;
      flights.end(entry, flight);
      flight.land(null);
      Promise.resolve()
        .then(() => release(errand))
        .catch(tell);
    },
    remove: (names) => removals.remove(names.map(nameKey)),
  };
}
