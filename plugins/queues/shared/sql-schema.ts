/** The tables of a queue in PostgreSQL: Agenda's table plus columns and indexes for leases, order and attempts. */
import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import type { Row } from '../../dialects/kind.js';

export const TABLE = 'lintel_jobs';
/** Proves that two connections reach the same database. */
export const MARKS = 'lintel_job_marks';

/** Agenda counts failures at their end. Rows without `state` belong to its other users. */
const OWN: readonly string[] = [
  `ALTER TABLE lintel_jobs
    ADD COLUMN IF NOT EXISTS seq bigint GENERATED ALWAYS AS IDENTITY,
    ADD COLUMN IF NOT EXISTS state text,
    ADD COLUMN IF NOT EXISTS rank double precision,
    ADD COLUMN IF NOT EXISTS attempts integer,
    ADD COLUMN IF NOT EXISTS retries integer,
    ADD COLUMN IF NOT EXISTS token text,
    ADD COLUMN IF NOT EXISTS lease_until timestamptz,
    ADD COLUMN IF NOT EXISTS failure_code text,
    ADD COLUMN IF NOT EXISTS journal text`,
  `ALTER TABLE lintel_jobs
    SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500)`,
  // Waiting jobs in claim order, due jobs, expired leases, dead jobs.
  `CREATE INDEX IF NOT EXISTS lintel_jobs_waiting ON lintel_jobs (rank DESC, seq) WHERE state = 'waiting'`,
  `CREATE INDEX IF NOT EXISTS lintel_jobs_delayed ON lintel_jobs (next_run_at) WHERE state = 'delayed'`,
  `CREATE INDEX IF NOT EXISTS lintel_jobs_running ON lintel_jobs (lease_until) WHERE state = 'running'`,
  `CREATE INDEX IF NOT EXISTS lintel_jobs_dead ON lintel_jobs (created_at) WHERE state = 'dead'`,
  `CREATE TABLE IF NOT EXISTS lintel_job_marks (mark text PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT now())`,
];

const LAYOUT = `SELECT obj_description(to_regclass('lintel_jobs')::oid, 'pg_class') AS layout`;

/** What Agenda uses of a pool of `pg`. */
export interface AgendaPool {
  connect(): Promise<object>;
}

/** All its sessions run their statements by `query`. */
export function createPool(query: (text: string, values?: readonly unknown[]) => Promise<object>): Pool {
  const session = { query, release: () => undefined };
  const pool: AgendaPool = Object.assign(session, { connect: () => Promise.resolve(session) });
  return pool as Pool;
}

/** One or more statements, without parameters. */
export type RunText = (text: string) => Promise<readonly Row[]>;

/**
 * Skipped if this version has created the tables: Agenda's statements block transactions that add jobs. The caller
 * must prevent concurrent calls.
 */
export async function makeTables(run: RunText): Promise<void> {
  const agenda = await import('@agendajs/postgres-backend');
  const texts = [
    agenda.getCreateTableSQL(TABLE),
    ...agenda.getCreateIndexesSQL(TABLE),
    agenda.getUpdateTimestampTriggerSQL(TABLE),
    ...OWN,
  ];
  const layout = createHash('sha256').update(texts.join()).digest('hex');
  const [found] = await run(LAYOUT);
  if (found?.['layout'] === layout) return;
  const query = async (text: string): Promise<object> => {
    const rows = await run(text);
    return { rows, rowCount: rows.length };
  };
  const pool = createPool(query);
  await new agenda.PostgresBackend({ pool, tableName: TABLE, disableNotifications: true }).repository.connect();
  for (const text of OWN) await run(text);
  await run(`COMMENT ON TABLE lintel_jobs IS '${layout}'`);
}
