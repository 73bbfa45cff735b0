/** Agenda's documents with fields for leases, attempts and order. Times are the server's; values are literals. */
import type { Document } from 'mongodb';
import type { JobFilter, JobView } from '../../../contract/deferred.js';
import { toJobData, NAME, type JobData } from '../shared/job.js';
import type { ClaimedJob, Entry, Failure } from '../shared/store.js';
import type { Job } from './connection.js';

export const NOW = '$$NOW';
export const addToNow = (milliseconds: number): Document => ({ $add: [NOW, milliseconds] });
export const literal = (value: unknown): Document => ({ $literal: value });

/** Documents without `state` belong to other Agenda users. */
export interface StoredJob extends Job {
  readonly data: JobData;
  readonly priority: number;
  readonly nextRunAt: Date | null;
  readonly failedAt: Date | null;
  readonly failReason: string | null;
  readonly state: 'waiting' | 'delayed' | 'running' | 'dead';
  readonly attempts: number;
  readonly retries: number;
  readonly token: string | null;
  readonly failCode: string | null;
  readonly journal?: string;
}

export const FREE = { token: null, leaseUntil: null, lockedAt: null } as const;

/** Agenda writes all of its fields, also the unused ones. */
const UNUSED = {
  lastRunAt: null,
  lastFinishedAt: null,
  failedAt: null,
  failCount: null,
  failReason: null,
  progress: null,
  repeatInterval: null,
  repeatAt: null,
  repeatTimezone: null,
  startDate: null,
  endDate: null,
  skipDays: null,
  disabled: null,
  fork: null,
  debounceStartedAt: null,
  lastModifiedBy: null,
} as const;

const KNOWN = { $ne: [{ $type: '$state' }, 'missing'] };

/** Inserts a job unless its id exists. `number`: a counter, finer than timestamps. `dead`: it can never run. */
export function createInsert(entry: Entry, _id: Job['_id'], number: number, dead?: Failure): Document[] {
  const { delay, priority, retries } = entry;
  const state = delay > 0 ? 'delayed' : 'waiting';
  const fixed = {
    _id,
    name: NAME,
    type: 'normal',
    priority,
    data: toJobData(entry),
    ...UNUSED,
    state,
    retries,
    attempts: 0,
    failCode: null,
    ...FREE,
    number,
  };
  const times = { addedAt: NOW, nextRunAt: addToNow(Math.max(0, delay)) };
  const made = { $mergeObjects: [literal(fixed), times, ...(dead === undefined ? [] : [createDeadFields(dead)])] };
  return [{ $replaceWith: { $cond: [KNOWN, '$$ROOT', made] } }];
}

/** The fields of a failed first attempt, without counting one. */
const createDeadFields = ({ code, detail }: Failure): Document => ({
  state: 'dead',
  nextRunAt: null,
  failedAt: NOW,
  lastFinishedAt: NOW,
  failCount: 1,
  failReason: literal(detail),
  failCode: literal(code),
});

/** The fields that Agenda sets when it starts a job, plus the attempt count. */
export const createClaimUpdate = (token: string, lease: number): Document[] => [
  {
    $set: {
      state: 'running',
      token: literal(token),
      leaseUntil: addToNow(lease),
      attempts: { $add: ['$attempts', 1] },
      lockedAt: NOW,
      lastRunAt: NOW,
      nextRunAt: null,
    },
  },
];

/** Undoes the count of an attempt. */
const LESS = { attempts: { $add: ['$attempts', -1] } } as const;
export const released: Document[] = [{ $set: { state: 'waiting', ...FREE, nextRunAt: NOW, ...LESS } }];

/** `pause`: milliseconds until the next attempt; null: none. */
export const createFailUpdate = (
  { code, detail }: Failure,
  state: StoredJob['state'],
  pause: number | null,
  counted = true,
): Document[] => [
  {
    $set: {
      ...(!counted && LESS),
      state,
      nextRunAt: pause === null ? null : addToNow(pause),
      ...FREE,
      failedAt: NOW,
      lastFinishedAt: NOW,
      failCount: { $add: [{ $ifNull: ['$failCount', 0] }, 1] },
      failReason: literal(detail),
      failCode: literal(code),
    },
  },
];

export const toClaimedJob = ({ data, attempts, retries, journal = '' }: StoredJob, token: string): ClaimedJob => ({
  id: data.id,
  token,
  attempt: attempts,
  retries,
  body: data.work,
  journal: journal === '' ? null : journal,
});

export const listStates = (state: NonNullable<JobFilter['state']>): string[] =>
  state === 'waiting' ? ['waiting', 'delayed'] : [state];

export function toJobView({
  data,
  priority,
  attempts,
  retries,
  state,
  nextRunAt,
  failCode,
  ...rest
}: StoredJob): JobView {
  const { id, resource, part, acceptedAt } = data;
  const waits = state === 'waiting' || state === 'delayed';
  const { failReason, failedAt } = rest;
  return {
    id,
    resource,
    part,
    state: waits ? 'waiting' : state,
    priority,
    attempts,
    retries,
    acceptedAt,
    dueAt: waits ? (nextRunAt?.getTime() ?? null) : null,
    failure: failCode === null ? null : { code: failCode, detail: failReason ?? '', at: failedAt?.getTime() ?? 0 },
  };
}
