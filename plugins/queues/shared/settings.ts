/** Converts the options of the config to the settings of a queue, in milliseconds. */
import type { RuntimeContext } from '../../../contract/plugin.js';
import { QUEUE_KEY } from './key.light.js';
import { createSealing, type Sealing } from './sealing.js';

export interface Settings {
  readonly concurrency: number;
  readonly lease: number;
  /** Milliseconds before the first retry. */
  readonly backoff: number;
  readonly poll: number;
  /** Bytes. */
  readonly maxPayload: number;
  readonly sealing: Sealing;
}

const LONGEST_PAUSE = 3_600_000;

/** `poll`: the default in seconds. Throws BootError for an invalid key. */
export function readSettings(
  options: Readonly<Record<string, unknown>>,
  poll: number,
  env?: RuntimeContext['env'],
): Settings {
  const number = (field: string, otherwise: number): number => {
    const given = options[field];
    return typeof given === 'number' ? given : otherwise;
  };
  return {
    concurrency: number('concurrency', 10),
    lease: number('lease', 30) * 1000,
    backoff: number('backoff', 2) * 1000,
    poll: number('poll', poll) * 1000,
    maxPayload: number('max_payload', 262_144),
    sealing: createSealing(env?.(QUEUE_KEY)),
  };
}

/** For work that its resource postpones. */
const LONGEST_WAIT = 60_000;

/** Milliseconds until postponed work is tried again: half of its age. */
export const computeWait = (acceptedAt: number, { backoff }: Pick<Settings, 'backoff'>): number =>
  addJitter(Math.min(LONGEST_WAIT, Math.max(backoff, (Date.now() - acceptedAt) / 2)));

const addJitter = (milliseconds: number): number => milliseconds * (0.9 + Math.random() * 0.2);

/** Milliseconds: exponential backoff with jitter. */
export const computePause = (attempt: number, { backoff }: Pick<Settings, 'backoff'>): number =>
  addJitter(Math.min(LONGEST_PAUSE, backoff * 2 ** Math.min(attempt - 1, 30)));
