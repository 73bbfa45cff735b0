/** The queue store in PostgreSQL: one statement per operation on Agenda's table. Times are the database's. */
import { randomUUID } from 'node:crypto';
import { Fault } from '../../../contract/fault.js';
import type { Row, Statements } from '../../dialects/kind.js';
import { toJobData, NAME, toUuid } from './job.js';
import { createSqlJobAdmin } from './sql-job-admin.js';
import type { ClaimedJob, Entry, JobLease, QueueStore, TransactionalStore, RunSql } from './store.js';

const COLUMNS = 'id, name, type, priority, next_run_at, data, created_at, state, rank, attempts, retries';
const ADD_ONE = `INSERT INTO lintel_jobs (${COLUMNS})
VALUES ($1::uuid, '${NAME}', 'normal', $2::int, now() + $3::float8 * interval '1 millisecond', ($4::text)::jsonb,
  to_timestamp($5::float8 / 1000), $6, $7::float8, 0, $8::int)
ON CONFLICT (id) DO NOTHING RETURNING seq`;
/** The fields of a failed first attempt, without counting one. */
const BURY = `INSERT INTO lintel_jobs (${COLUMNS}, failure_code, fail_reason, fail_count, failed_at, last_finished_at)
VALUES ($1::uuid, '${NAME}', 'normal', $2::int, NULL, ($3::text)::jsonb, to_timestamp($4::float8 / 1000), 'dead',
  $5::float8, 0, $6::int, $7, $8, 1, now(), now())
ON CONFLICT (id) DO NOTHING RETURNING seq`;
const ADD_MANY = `INSERT INTO lintel_jobs (${COLUMNS})
SELECT id, '${NAME}', 'normal', priority, now() + delay * interval '1 millisecond', data, to_timestamp(accepted / 1000),
  state, rank, 0, retries
FROM json_to_recordset(($1::text)::json) AS e(id uuid, priority int, delay float8, data jsonb, accepted float8, state text,
  rank float8, retries int)
ON CONFLICT (id) DO NOTHING RETURNING seq`;
/** Sets the fields that Agenda sets when it starts a job. */
const CLAIM = `WITH next AS MATERIALIZED (
  SELECT id FROM lintel_jobs WHERE state = 'waiting' AND disabled IS NOT TRUE
  ORDER BY rank DESC, seq LIMIT $2::int FOR UPDATE SKIP LOCKED)
UPDATE lintel_jobs j SET state = 'running', attempts = j.attempts + 1, token = $1,
  locked_at = now(), last_run_at = now(), next_run_at = NULL, lease_until = now() + $3::float8 * interval '1 millisecond'
FROM next WHERE j.id = next.id
RETURNING j.data->>'id' AS id, j.data->>'work' AS body, j.journal, j.seq, j.rank, j.attempts, j.retries,
  j.attempts = 1 AND j.journal IS NULL AND j.failure_code IS NULL AS fresh`;
const NOTE = `UPDATE lintel_jobs SET journal = $3 WHERE id = $1::uuid AND token = $2 AND state = 'running' RETURNING seq`;
const RENEW = `UPDATE lintel_jobs j SET lease_until = now() + $3::float8 * interval '1 millisecond'
FROM unnest($1::text[], $2::text[]) AS h(id, token)
WHERE j.id = h.id::uuid AND j.token = h.token AND j.state = 'running' RETURNING j.id`;
const DONE = `DELETE FROM lintel_jobs WHERE id = $1::uuid AND token = $2 AND state = 'running' RETURNING seq`;
const FAILED = `token = NULL, lease_until = NULL, locked_at = NULL, fail_count = coalesce(fail_count, 0) + 1,
  failed_at = now(), last_finished_at = now()`;
const FAIL = `UPDATE lintel_jobs SET ${FAILED}, failure_code = $3, fail_reason = $4,
  state = CASE WHEN $5::float8 IS NULL THEN 'dead' ELSE 'delayed' END,
  next_run_at = now() + $5::float8 * interval '1 millisecond', attempts = attempts - $6::int
WHERE id = $1::uuid AND token = $2 AND state = 'running' RETURNING seq`;
/** Steps may be recorded elsewhere, so a released job is not `fresh`. */
const RELEASE = `UPDATE lintel_jobs j SET state = 'waiting', attempts = j.attempts - 1, token = NULL, lease_until = NULL,
  locked_at = NULL, next_run_at = now(), journal = coalesce(j.journal, '[]')
FROM unnest($1::text[], $2::text[]) AS h(id, token)
WHERE j.id = h.id::uuid AND j.token = h.token AND j.state = 'running' RETURNING j.id`;
/** Limits each statement; a full batch is followed by the next one immediately. */
const PORTION = 1000;
const SWEEP = `WITH due AS MATERIALIZED (
  SELECT id FROM lintel_jobs WHERE state = 'delayed' AND next_run_at <= now() ORDER BY next_run_at LIMIT ${PORTION}
  FOR UPDATE SKIP LOCKED),
woken AS (UPDATE lintel_jobs j SET state = 'waiting' FROM due WHERE j.id = due.id RETURNING j.id),
over AS MATERIALIZED (
  SELECT id FROM lintel_jobs WHERE state = 'running' AND lease_until <= now() LIMIT ${PORTION} FOR UPDATE SKIP LOCKED),
lapsed AS (UPDATE lintel_jobs j SET ${FAILED}, failure_code = $1, fail_reason = $2,
  state = CASE WHEN j.attempts > j.retries THEN 'dead' ELSE 'waiting' END,
  next_run_at = CASE WHEN j.attempts > j.retries THEN NULL ELSE now() END
  FROM over WHERE j.id = over.id RETURNING j.data->>'id' AS id, j.state)
SELECT (SELECT count(*) FROM woken) + (SELECT count(*) FROM lapsed WHERE state = 'waiting') AS woken,
  (SELECT json_agg(id) FROM lapsed WHERE state = 'dead') AS dead,
  (SELECT extract(epoch FROM min(next_run_at) - now()) * 1000 FROM lintel_jobs WHERE state = 'delayed'
     AND id NOT IN (SELECT id FROM due)) AS next`;

const getInitialState = ({ delay }: Entry): string => (delay > 0 ? 'delayed' : 'waiting');
const number = (value: unknown): number => Number(value);

/** Agenda's priority is a 32-bit integer. */
const LARGEST = 2_147_483_647;
const toInt32 = (priority: number): number => Math.max(-LARGEST, Math.min(LARGEST, Math.round(priority)));

function createInsert(entries: readonly Entry[]): readonly [name: string, text: string, values: readonly unknown[]] {
  const [one] = entries;
  if (one !== undefined && entries.length === 1) {
    const { id, priority, retries, acceptedAt, delay } = one;
    const values = [
      toUuid(id),
      toInt32(priority),
      delay,
      JSON.stringify(toJobData(one)),
      acceptedAt,
      getInitialState(one),
    ];
    return ['add', ADD_ONE, [...values, priority, retries]];
  }
  const rows = entries.map((entry) => ({
    id: toUuid(entry.id),
    priority: toInt32(entry.priority),
    delay: entry.delay,
    data: toJobData(entry),
    accepted: entry.acceptedAt,
    state: getInitialState(entry),
    rank: entry.priority,
    retries: entry.retries,
  }));
  return ['adds', ADD_MANY, [JSON.stringify(rows)]];
}

const toLeaseColumns = (held: readonly JobLease[]): readonly unknown[] => [
  held.map(({ id }) => toUuid(id)),
  held.map(({ token }) => token),
];

/** `UPDATE … RETURNING` does not guarantee row order. */
const compareRows = (a: Row, b: Row): number =>
  number(b['rank']) - number(a['rank']) || number(a['seq']) - number(b['seq']);

export function createSqlStore(
  run: RunSql,
  jobs: QueueStore['jobs'],
  notify?: QueueStore['notifyWorkers'],
): QueueStore {
  return {
    jobs,
    async add(entries) {
      await run(...createInsert(entries));
    },
    async moveToDeadLetter(entry, { code, detail }) {
      const { id, priority, retries, acceptedAt } = entry;
      const values = [toUuid(id), toInt32(priority), JSON.stringify(toJobData(entry)), acceptedAt, priority, retries];
      await run('bury', BURY, [...values, code, detail]);
    },
    async claimJobs(token, limit, lease) {
      const rows = await run('claim', CLAIM, [token, limit, lease]);
      const toClaimedJob = ({ id, attempts, retries, body, journal, fresh }: Row): ClaimedJob => ({
        id: String(id),
        token,
        attempt: number(attempts),
        retries: number(retries),
        body: String(body),
        fresh: fresh === true,
        journal: typeof journal === 'string' ? journal : null,
      });
      return [...rows].sort(compareRows).map(toClaimedJob);
    },
    async renewLeases(held, lease) {
      const rows = await run('renew', RENEW, [...toLeaseColumns(held), lease]);
      const still = new Set(rows.map(({ id }) => String(id)));
      return new Set(held.map(({ id }) => id).filter((id) => still.has(toUuid(id))));
    },
    saveJournal: async ({ id, token }, journal) => (await run('note', NOTE, [toUuid(id), token, journal])).length > 0,
    completeJob: async ({ id, token }) => (await run('done', DONE, [toUuid(id), token])).length > 0,
    fail: async ({ id, token }, { code, detail }, after, counted = true) =>
      (await run('fail', FAIL, [toUuid(id), token, code, detail, after, counted ? 0 : 1])).length > 0,
    async release(held) {
      await run('release', RELEASE, toLeaseColumns(held));
    },
    async sweepJobs({ code, detail }) {
      const [row] = await run('sweep', SWEEP, [code, detail]);
      const next = row?.['next'] ?? null;
      return {
        woken: number(row?.['woken'] ?? 0),
        dead: (row?.['dead'] ?? []) as readonly string[],
        next: next === null ? null : Math.max(1, Math.ceil(number(next))),
      };
    },
    ...(notify && { notifyWorkers: notify }),
    ...createSqlJobAdmin(run),
  };
}

const MARK = `INSERT INTO lintel_job_marks (mark) VALUES ($1) RETURNING mark`;
const IS_MARKED = `SELECT mark FROM lintel_job_marks WHERE mark = $1`;
const UNMARK = `DELETE FROM lintel_job_marks WHERE mark = $1 OR made_at < now() - interval '1 hour' RETURNING mark`;

/**
 * Whether a connection reaches the database of the queue: it must see a mark just inserted. (URLs may differ, and a
 * copy lacks it.)
 */
export async function detectTransactionalStore(
  run: RunSql,
  statements: Statements,
): Promise<TransactionalStore | null> {
  const mark = randomUUID();
  await run('mark', MARK, [mark]);
  try {
    if (!(await hasMark(statements, mark))) return null;
  } finally {
    await run('unmark', UNMARK, [mark]);
  }
  return createTransactionalStore(statements);
}

export const createTransactionalStore = (statements: Statements): TransactionalStore => ({
  async add(entries, transaction) {
    const [, text, values] = createInsert(entries);
    await statements.execute(text, values, transaction);
  },
  completeJob: async ({ id, token }, transaction) =>
    (await statements.execute(DONE, [toUuid(id), token], transaction)).length > 0,
});

async function hasMark(statements: Statements, mark: string): Promise<boolean> {
  try {
    return (await statements.execute(IS_MARKED, [mark], null)).length > 0;
  } catch (error) {
    // The tables are missing. An unavailable database may be the same, so its error is passed on.
    if (error instanceof Fault && error.code === 'QRY_FAILED') return false;
    throw error;
  }
}
