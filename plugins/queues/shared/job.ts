/** Maps deferred work to Agenda jobs. The work stays text, so that no store changes it. */
import { createHash } from 'node:crypto';
import type { Entry } from './store.js';

/** One kind of job, so that order and limits hold across resources. */
export const NAME = 'lintel';

export interface JobData {
  readonly id: string;
  readonly resource: string;
  readonly part: string;
  readonly acceptedAt: number;
  /** The deferred work as JSON text. */
  readonly work: string;
}

export const toJobData = ({ id, resource, part, acceptedAt, body }: Entry): JobData => ({
  id,
  resource,
  part,
  acceptedAt,
  work: body,
});

/** Agenda stores have different id formats; derived ids make adding twice find the same job. */
const hashId = (id: string): string => createHash('sha256').update(String(id)).digest('hex');

const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/;
export const toUuid = (id: string): string => hashId(id).replace(UUID, '$1-$2-$3-$4-$5');
/** A MongoDB ObjectId has twelve bytes. */
export const toShortId = (id: string): string => hashId(id).slice(0, 24);

/** Receivers do not need the id of the job. */
export const createNotification = (): {
  jobId: never;
  jobName: string;
  nextRunAt: null;
  priority: number;
  timestamp: Date;
} => ({
  jobId: '' as never,
  jobName: NAME,
  nextRunAt: null,
  priority: 0,
  timestamp: new Date(),
});
