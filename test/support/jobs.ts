/** Queries about deferred work: the rows of the queue, read like any table, and waiting for a condition. */
import type { Client } from './client.js';
import type { DatabaseKind } from './kernel.js';
import { PATIENCE_MS } from './until.js';

export interface JobRow {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly failure_code: string | null;
  readonly body: string;
}

/** A resource that returns the rows of the queue, wherever they are in the database. */
export const JOBS = {
  id: 'jobs',
  resource: 'jobs',
  actionables: [
    {
      id: 1,
      mode: 'QUERY',
      result: 'many',
      sql_query: {
        query:
          "SELECT data->>'id' AS id, state, attempts, failure_code, data->>'work' AS body FROM lintel_jobs ORDER BY seq",
        parameters: [],
      },
    },
  ],
};

/**
 * A resource that makes all delayed jobs due at once: a test that reads a job before it runs gives it a delay of an
 * hour.
 */
export const DUE = {
  id: 'due',
  resource: 'due',
  actionables: [
    {
      id: 1,
      mode: 'QUERY',
      sql_query: { query: "UPDATE lintel_jobs SET next_run_at = now() WHERE state = 'delayed'", parameters: [] },
    },
  ],
};

export const fetchJobs = async (client: Client): Promise<readonly JobRow[]> =>
  (await client.post<readonly JobRow[]>('/jobs')).body;

/** The queue of a database, with short pauses. */
export const createQueueConfig = (database: DatabaseKind['name']): object =>
  database === 'pglite'
    ? { use: 'embedded', backoff: 0.05, poll: 0.5 }
    : { use: 'postgres', url: '$ENV.DATABASE_URL', backoff: 0.05, poll: 0.5 };

const PAUSE_MS = 20;

/** Reads repeatedly until the result satisfies the condition; returns it. */
export async function waitForValue<T>(read: () => Promise<T> | T, holds: (value: T) => boolean): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > end) throw new Error(`never came to be; last was ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

export const waitUntilNoJobs = (client: Client): Promise<unknown> =>
  waitForValue(
    () => fetchJobs(client),
    ({ length }) => length === 0,
  );
