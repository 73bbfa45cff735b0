/**
 * Work as a job of Agenda: the name of all jobs, their ids, and what lies in the field `data`. The work itself stays text, so that no
 * store touches it. Knows no store.
 */
import { createHash } from 'node:crypto';
import type { Entry } from './store.js';

/** All work is one kind of job to Agenda: order and limits hold across resources. */
export const NAME = 'lintel';

/** The field `data` of a job. */
export interface JobData {
  readonly id: string;
  readonly resource: string;
  readonly part: string;
  readonly acceptedAt: number;
  /** The whole work as JSON text. */
  readonly work: string;
}

export const dataOf = ({ id, resource, part, acceptedAt, body }: Entry): JobData => ({
  ...{ id, resource, part, acceptedAt },
  work: body,
});

/** Agenda has ids of its own shape in each store: they follow from ours, so that adding twice meets the same job. */
const digestOf = (id: string): string => createHash('sha256').update(String(id)).digest('hex');

const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/;
export const uuidOf = (id: string): string => digestOf(id).replace(UUID, '$1-$2-$3-$4-$5');
/** Of an id of MongoDB, which has twelve bytes. */
export const shortIdOf = (id: string): string => digestOf(id).slice(0, 24);

/** What Agenda's channels carry; nobody needs to know which job it was. */
export const call = (): { jobId: never; jobName: string; nextRunAt: null; priority: number; timestamp: Date } => ({
  jobId: '' as never,
  jobName: NAME,
  nextRunAt: null,
  priority: 0,
  timestamp: new Date(),
});
