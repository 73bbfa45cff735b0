/** A small separate pool, so that requests do not delay runs. Connects on first use. */
import pg from 'pg';
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { scheduler, type Scheduler } from '../kind.js';
import { createOnce, withSettings } from '../shared/settings.js';
import { createSqlLedger, TABLES, TABLES_EXIST } from '../shared/sql-ledger.js';

interface PostgresScheduler extends Scheduler {
  readonly pool: pg.Pool;
}

/** Milliseconds. */
const DEADLINE = 900;
/** An arbitrary advisory lock key. */
const LOCK = 4_611_006_229;

async function makeTables(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ there: boolean }>(TABLES_EXIST);
  if (rows[0]?.there === true) return;
  await pool.query(['BEGIN', `SELECT pg_advisory_xact_lock(${LOCK})`, ...TABLES, 'COMMIT'].join(';\n'));
}

export default defineRuntime<Scheduler, PostgresScheduler>(scheduler, {
  create({ options }) {
    const { url } = options;
    if (typeof url !== 'string' || !/^postgres(ql)?:\/\/./.test(url))
      throw new BootError('CRN_ADDRESS', { what: 'PostgreSQL (`postgres://user:password@host:5432/database`)' });
    const pool = new pg.Pool({
      connectionString: url,
      application_name: 'lintel scheduler',
      max: 2,
      keepAlive: true,
      connectionTimeoutMillis: DEADLINE,
      query_timeout: DEADLINE,
      statement_timeout: DEADLINE,
      idleTimeoutMillis: 60_000,
      allowExitOnIdle: true,
    });
    // Without a listener, a lost idle connection would end the process.
    pool.on('error', () => undefined);
    const tables = createOnce(() => makeTables(pool));
    const ledger = createSqlLedger(async (text, values) => {
      await tables();
      const { rows } = await pool.query<Record<string, unknown>>(text, [...values]);
      return rows;
    });
    return { ...withSettings(ledger, options), pool };
  },

  async close({ pool }) {
    if (!pool.ended) await pool.end();
  },

  async health({ pool }) {
    try {
      await pool.query('SELECT 1');
      return { ok: true };
    } catch {
      return { ok: false, optional: true, detail: 'the schedule store does not respond' };
    }
  },
});
