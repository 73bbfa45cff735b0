/**
 * Kind `scheduler`: the ledger of scheduled runs. An instant is claimed by one process, and by none while the
 * previous run is in progress. It runs nothing.
 */
import { defineKind } from '../../contract/kind.js';
import { schedulerFields } from './shared/fields.light.js';
import { chooseServer } from '../shared/embedded.light.js';

/** `mine`: run it now. `taken`: by another process. `busy`: the previous run is in progress; the skip was counted. */
export type Claim = 'mine' | 'taken' | 'busy';

/** Rejects within a second when the store is unavailable; then nothing runs. Instants are milliseconds since 1970. */
export interface Ledger {
  /**
   * Claims an instant, regardless of the last. A claim blocks the schedule for `lease` seconds unless renewed or
   * finished. Repeated calls with the same `by` have the same result.
   */
  claimRun(key: string, instant: number, lease: number, by: string): Promise<Claim>;
  /** False: the claim is lost. */
  renewClaim(key: string, instant: number, lease: number): Promise<boolean>;
  finishRun(key: string, instant: number): Promise<void>;
  /** The latest instant claimed or found busy, else `since`. A changed `form` counts from `since`. */
  resolveLatest(key: string, form: string, since: number): Promise<number>;
  /** Number of instants skipped because the previous run was in progress. */
  countSkipped(key: string): Promise<number>;
}

export interface SchedulerSettings {
  /** IANA name, for schedules without a zone. */
  readonly zone: string;
  /** Milliseconds; runs missed longer ago are not caught up. */
  readonly catchUp: number;
}

export interface Scheduler extends Ledger {
  readonly settings: SchedulerSettings;
}

/** Milliseconds, so that a clock set back by a day repeats no instant. */
export const RETENTION_MS = 25 * 3_600_000;

const USE = { say: 'the plugin is set by `"use"`', rename: 'use' };

export const scheduler = defineKind<Scheduler>({
  kind: 'scheduler',
  title: 'Scheduler',
  summary: 'Records scheduled runs, so that only one process runs each.',
  slots: ['config.scheduler'],
  select: { by: 'field', field: 'use' },
  common: schedulerFields,
  config: {
    field: 'scheduler',
    doc: 'Records scheduled runs, so that only one process runs each.',
    aliases: ['cron', 'crons', 'schedule', 'schedules', 'cron_jobs'],
    many: false,
    load: 'when-required',
    tested: { use: 'embedded' },
    default: chooseServer,
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
    shared: { doc: 'All processes with the same config share the records.', type: 'boolean', required: true },
  },
  handle: ['claimRun', 'renewClaim', 'finishRun', 'resolveLatest', 'countSkipped'],
  host: (fragment) => ({ file: 'config', json: { scheduler: fragment }, at: '/scheduler' }),
});
