/**
 * The ledger in PostgreSQL: a row per schedule and recent instant. A claim is one statement, so that only one process
 * gets "mine".
 */
import { RETENTION_MS, type Ledger } from '../kind.js';

type Row = Readonly<Record<string, unknown>>;
export type Execute = (text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/** Definitions cannot access these tables. */
export const TABLES = [
  `CREATE TABLE IF NOT EXISTS lintel_schedules (
    key text PRIMARY KEY,
    form text NOT NULL DEFAULT '',
    latest bigint NOT NULL,
    forgotten bigint NOT NULL DEFAULT 0,
    running bigint,
    lease_until bigint NOT NULL DEFAULT 0,
    skipped bigint NOT NULL DEFAULT 0
  )`,
  `CREATE TABLE IF NOT EXISTS lintel_schedule_instants (
    key text NOT NULL,
    instant bigint NOT NULL,
    claimed_by text NOT NULL,
    PRIMARY KEY (key, instant)
  )`,
];
export const TABLES_EXIST =
  "SELECT to_regclass('lintel_schedules') IS NOT NULL AND to_regclass('lintel_schedule_instants') IS NOT NULL AS there";

/** Server time, so that one clock measures all leases. */
const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const IS_BUSY = `s.running IS NOT NULL AND s.lease_until > ${NOW}`;

/** The first insert takes the schedule, unless its lease is held; no row: already claimed. */
const CLAIM = `
WITH noted AS (
  INSERT INTO lintel_schedule_instants (key, instant, claimed_by)
  SELECT $1::text, $2::bigint, $4::text
  WHERE NOT EXISTS (SELECT 1 FROM lintel_schedules WHERE key = $1::text AND forgotten >= $2::bigint)
  ON CONFLICT DO NOTHING
  RETURNING key, instant
)
INSERT INTO lintel_schedules AS s (key, latest, running, lease_until)
SELECT key, instant, instant, ${NOW} + $3::bigint FROM noted
ON CONFLICT (key) DO UPDATE SET
  latest = GREATEST(s.latest, excluded.latest),
  skipped = s.skipped + CASE WHEN ${IS_BUSY} THEN 1 ELSE 0 END,
  running = CASE WHEN ${IS_BUSY} THEN s.running ELSE excluded.running END,
  lease_until = CASE WHEN ${IS_BUSY} THEN s.lease_until ELSE excluded.lease_until END
WHERE s.forgotten < excluded.latest
RETURNING s.running AS running`;

/** Repeats the result of a claim after a lost response: the claimant is the same. */
const ANSWERED = `
SELECT s.running AS running
FROM lintel_schedule_instants i JOIN lintel_schedules s ON s.key = i.key
WHERE i.key = $1::text AND i.instant = $2::bigint AND i.claimed_by = $3::text`;

const RENEW = `
UPDATE lintel_schedules SET lease_until = ${NOW} + $3::bigint
WHERE key = $1::text AND running = $2::bigint RETURNING key`;

const FINISH = `
UPDATE lintel_schedules SET running = NULL, lease_until = 0
WHERE key = $1::text AND running = $2::bigint RETURNING key`;

const FORGET = `
WITH gone AS (
  DELETE FROM lintel_schedule_instants WHERE key = $1::text AND instant < $2::bigint RETURNING instant
)
UPDATE lintel_schedules SET forgotten = GREATEST(forgotten, (SELECT max(instant) FROM gone))
WHERE key = $1::text AND EXISTS (SELECT 1 FROM gone) RETURNING key`;

const LATEST = `
INSERT INTO lintel_schedules AS s (key, form, latest) VALUES ($1::text, $2::text, $3::bigint)
ON CONFLICT (key) DO UPDATE SET
  latest = CASE WHEN s.form = excluded.form THEN s.latest ELSE GREATEST(s.latest, excluded.latest) END,
  form = excluded.form
RETURNING s.latest AS latest`;

const SKIPPED = 'SELECT skipped FROM lintel_schedules WHERE key = $1::text';

export function createSqlLedger(execute: Execute): Ledger {
  /** A schedule that is not running has 0, which no run has. */
  const readNumber = (row: Row | undefined, column: string): number | null =>
    row === undefined ? null : Number(row[column]);
  return {
    async claimRun(key, instant, lease, by) {
      const [claimed] = await execute(CLAIM, [key, instant, lease * 1000, by]);
      if (claimed !== undefined) return readNumber(claimed, 'running') === instant ? 'mine' : 'busy';
      const [before] = await execute(ANSWERED, [key, instant, by]);
      if (before === undefined) return 'taken';
      return readNumber(before, 'running') === instant ? 'mine' : 'busy';
    },
    async renewClaim(key, instant, lease) {
      return (await execute(RENEW, [key, instant, lease * 1000])).length > 0;
    },
    async finishRun(key, instant) {
      await execute(FINISH, [key, instant]);
      await execute(FORGET, [key, instant - RETENTION_MS]);
    },
    async resolveLatest(key, form, since) {
      const [row] = await execute(LATEST, [key, form, since]);
      return readNumber(row, 'latest') ?? since;
    },
    async countSkipped(key) {
      const [row] = await execute(SKIPPED, [key]);
      return readNumber(row, 'skipped') ?? 0;
    },
  };
}
