/**
 * Kind `scheduler`: the ledger of scheduled runs. However many processes look at the same clock, an instant belongs to
 * one of them, and to none while the run before it still goes on. It keeps no time and runs nothing. The config chooses one.
 */
import { defineKind } from '../../kernel/contract/kind.js';
import { schedulerFields } from './scheduler-fields.js';
import { embedded } from './embedded.js';

/** `mine`: run it now. `taken`: another process has it, or had it. `busy`: the run before still goes on; it was counted. */
export type Claim = 'mine' | 'taken' | 'busy';

/**
 * Every method rejects when the store cannot be reached, after a second at most; then nothing runs. Instants: milliseconds
 * since 1970. Keys are those of actionables.
 */
export interface Ledger {
  /**
   * Claims an instant of a schedule, whichever instant was claimed last. A claim holds the schedule for `lease` seconds, unless
   * it is renewed or finished. `by` is of whoever asks: asked again by the same, because no answer came, it answers the same.
   */
  claim(key: string, instant: number, lease: number, by: string): Promise<Claim>;
  /** False: the claim is lost. */
  renew(key: string, instant: number, lease: number): Promise<boolean>;
  finish(key: string, instant: number): Promise<void>;
  /**
   * The latest instant that anybody claimed or found busy; `since` where there is none. `form`: of the schedule as it is now;
   * one that has changed is known from `since` on.
   */
  latest(key: string, form: string, since: number): Promise<number>;
  /** How often an instant was skipped because the run before went on. */
  skipped(key: string): Promise<number>;
}

/** What the config says of all schedules. */
export interface SchedulerSettings {
  /** IANA name; of schedules that name no zone. */
  readonly zone: string;
  /** Milliseconds; a run that was missed longer ago is not made up for. */
  readonly catchUp: number;
}

export interface Scheduler extends Ledger {
  readonly settings: SchedulerSettings;
}

/** Milliseconds for which a ledger remembers single instants: clocks that are put back by a day run none again. */
export const REMEMBERED = 25 * 3_600_000;

const USE = { say: 'which one it is says `"use"`', rename: 'use' };

export const scheduler = defineKind<Scheduler>({
  kind: 'scheduler',
  title: 'Scheduler',
  summary: 'The ledger in which processes agree who runs what is scheduled.',
  slots: ['config.scheduler'],
  select: { by: 'field', field: 'use' },
  common: schedulerFields,
  config: {
    field: 'scheduler',
    doc: 'The ledger in which processes agree who runs what is scheduled.',
    aliases: ['cron', 'crons', 'schedule', 'schedules', 'cron_jobs'],
    many: false,
    load: 'when-required',
    default: (given) => {
      const { has } = given;
      if (has('DATABASE_URL')) return { use: 'postgres', url: '$ENV.DATABASE_URL' };
      if (has('MONGO_URL')) return { use: 'mongo', url: '$ENV.MONGO_URL' };
      return has('REDIS_URL') ? { use: 'redis', url: '$ENV.REDIS_URL' } : embedded(given);
    },
  },
  mistaken: {
    'config.scheduler': {
      type: USE,
      kind: USE,
      driver: USE,
      provider: USE,
      backend: USE,
      adapter: USE,
      timezone: { say: 'the zone of schedules is `"time_zone"`', rename: 'time_zone' },
      tz: { say: 'the zone of schedules is `"time_zone"`', rename: 'time_zone' },
    },
  },
  facts: {
    shared: { doc: 'All processes that are configured alike see the same ledger.', type: 'boolean', required: true },
  },
  handle: ['claim', 'renew', 'finish', 'latest', 'skipped'],
  host: (fragment) => ({ file: 'config', json: { scheduler: fragment }, at: '/scheduler' }),
});
