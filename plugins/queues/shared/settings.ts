/** From the options of the config to what a queue works with: milliseconds and numbers. Only this file knows both vocabularies. */
import type { RuntimeContext } from '../../../kernel/contract/plugin.js';
import { QUEUE_KEY } from '../../kinds/queue-key.js';
import { createSealing, type Sealing } from './sealing.js';

export interface Settings {
  readonly concurrency: number;
  readonly lease: number;
  /** Milliseconds before the first retry. */
  readonly backoff: number;
  readonly poll: number;
  /** Bytes. */
  readonly maxPayload: number;
  /** How work is kept. */
  readonly sealing: Sealing;
}

const LONGEST_PAUSE = 3_600_000;

/** `poll`: seconds, as the schema of the plugin says. Throws BootError for a key that cannot be used. */
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

/** Of work that its resource does not let in, and that may be much at once. */
const LONGEST_WAIT = 60_000;

/** Milliseconds before it is asked again whether work is let in: half as long as it has been there, so that it needs no count. */
export const waitAfter = (acceptedAt: number, { backoff }: Pick<Settings, 'backoff'>): number =>
  spread(Math.min(LONGEST_WAIT, Math.max(backoff, (Date.now() - acceptedAt) / 2)));

const spread = (milliseconds: number): number => milliseconds * (0.9 + Math.random() * 0.2);

/** Milliseconds before the next attempt, twice as long each time; not all that failed together come back together. */
export const pauseAfter = (attempt: number, { backoff }: Pick<Settings, 'backoff'>): number =>
  spread(Math.min(LONGEST_PAUSE, backoff * 2 ** Math.min(attempt - 1, 30)));
