/**
 * Maps deferred work to Agenda jobs: their name, ids and `data` field. The work stays text, so that no store changes it. Knows no
 * store.
 */
import { createHash } from 'node:crypto';
import type { Entry } from './store.js';

/** All work is one kind of job, so that order and limits hold across resources. */
export const NAME = 'lintel';

export interface JobData {
  readonly id: string;
  readonly resource: string;
  readonly part: string;
  readonly acceptedAt: number;
  /** The deferred work as JSON text. */
  readonly work: string;
}

export const dataOf = ({ id, resource, part, acceptedAt, body }: Entry): JobData => ({
  ...{ id, resource, part, acceptedAt },
  work: body,
});

/** Each Agenda store requires its own id format; ids are derived from ours, so that adding twice finds the same job. */
const digestOf = (id: string): string => createHash('sha256').update(String(id)).digest('hex');

const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/;
export const uuidOf = (id: string): string => digestOf(id).replace(UUID, '$1-$2-$3-$4-$5');
/** The digits of a MongoDB ObjectId, which has twelve bytes. */
export const shortIdOf = (id: string): string => digestOf(id).slice(0, 24);

/** The notification of Agenda's channels; receivers do not need the id of the job. */
export const call = (): { jobId: never; jobName: string; nextRunAt: null; priority: number; timestamp: Date } => ({
  jobId: '' as never,
  jobName: NAME,
  nextRunAt: null,
  priority: 0,
  timestamp: new Date(),
});
