/** The connections of one PostgreSQL server. */
import { fillBlindIndexes } from '../shared/fill-indexes.js';
import { createFault } from '../../../contract/fault.js';
import { defineRuntime } from '../../../contract/plugin.js';
import type { RuntimeContext } from '../../../contract/plugin.js';
import type { StatementQuestion, StatementRejection } from '../../../contract/statement-check.js';
import { createPoolPane, dialect, SERIALIZABLE } from '../kind.js';
import type { Dialect, Row } from '../kind.js';
import { createAddressFault, createConnectFault } from '../shared/connect.js';
import { toPostgresFault } from '../shared/errors.js';
import { readTables } from '../shared/found-tables.js';
import { migrate, outlineMigration } from '../shared/migrate.js';
import type { MigrationTarget } from '../shared/migration-types.js';
import { OBJECTS } from '../shared/postgres-objects.js';
import { toStatementRejection, toSentStatement, addFunctionAdvice } from '../shared/rejections.js';
import type { MigrationSession } from '../shared/session.js';
import { postgresFlavour } from '../shared/postgres-flavour.js';
import { createTestStore } from '../shared/postgres-test-store.js';
import { createTableRows, POSTGRES_STATEMENTS } from '../shared/table-rows.light.js';
import { isTriggered, warnTriggered, type Trigger } from '../shared/triggers.js';
import { getParser } from '../shared/types.js';
import { createPostgresDialect } from './dialect.js';
import { readPostgresOptions } from './options.js';
import { ALONE, invalidateStatements } from './connection.js';
import type { PgCommand, PgConnection } from './connection.js';
import { createPgConnections } from './connections.js';
import type { PgConnections } from './connections.js';
import { sendStatement } from './statement.js';
import { createTestDatabase, createTestSession, createWithClient } from './test-database.js';

interface PostgresStore extends Dialect {
  readonly context: RuntimeContext;
  /** Nothing that triggers do happens in its transactions. */
  readonly isReplica: boolean;
  /** Null unless it is open. */
  wires: PgConnections | null;
  /** Triggers access tables that no statement names. */
  triggered: boolean;
}

function requireConnections({ wires }: PostgresStore): PgConnections {
  if (wires === null) throw createFault('QRY_UNAVAILABLE', {}, { retryable: true, headers: { 'retry-after': '1' } });
  return wires;
}

const acquireConnection = (wires: PgConnections): Promise<{ wire: PgConnection; release: (broken: boolean) => void }> =>
  new Promise((resolve, reject) => {
    wires.acquire(null, (error, wire, release) => (wire ? resolve({ wire, release }) : reject(toPostgresFault(error))));
  });

const createSession = ({ client }: PgConnection): MigrationSession => ({
  query: async (text, values) => {
    const types = { getTypeParser: getParser as never };
    const result = await client.query<Record<string, unknown>>({ text, values: [...(values ?? [])], types });
    return result.rows;
  },
});

async function withSession<T>(wires: PgConnections, work: (session: MigrationSession) => Promise<T>): Promise<T> {
  const { wire, release } = await acquireConnection(wires);
  const session = createSession(wire);
  let broken = true;
  try {
    await session.query('BEGIN');
    const result = await work(session);
    await session.query('COMMIT');
    broken = false;
    return result;
  } finally {
    // Closing the connection rolls everything back.
    release(broken);
  }
}

async function withPlainSession<T>(wires: PgConnections, work: (session: MigrationSession) => Promise<T>): Promise<T> {
  const { wire, release } = await acquireConnection(wires);
  try {
    return await work(createSession(wire));
  } finally {
    // RESET is for poolers, which keep the connection.
    await wire.client.query('RESET lock_timeout; RESET statement_timeout').catch(() => undefined);
    release(true);
  }
}

const createTarget = (wires: PgConnections, { instance, options }: RuntimeContext): MigrationTarget => ({
  withSession: (work) => withSession(wires, work),
  withoutTransaction: (work) => withPlainSession(wires, work),
  flavour: () => postgresFlavour,
  store: instance,
  isReplica: readPostgresOptions(options).isReplica,
});

/** Statements that PREPARE supports. */
const PREPARED = /^(?:SELECT|VALUES|TABLE|INSERT|UPDATE|DELETE|MERGE)$/;
const PREPARE = 'PREPARE lintel_asked AS ';

async function probeStatements(
  wires: PgConnections,
  questions: readonly StatementQuestion[],
): Promise<(StatementRejection | null)[]> {
  const { wire, release } = await acquireConnection(wires);
  try {
    const sent = questions.map(({ text }) => toSentStatement(text));
    // Each is one exchange and one transaction, because a pooler may send each to another server.
    const errors = await Promise.all(
      sent.map(async ({ scan, text }) =>
        PREPARED.test(scan.verb)
          ? wire.client.query(`${PREPARE}${text}\n; DEALLOCATE lintel_asked`).then(() => null, toError)
          : null,
      ),
    );
    const session = createSession(wire);
    return await Promise.all(
      sent.map(async (one, i) => {
        const refusal =
          errors[i] === null ? null : toStatementRejection(errors[i], one, NOTHING_UNKNOWN, PREPARE.length + 1);
        return refusal && addFunctionAdvice(refusal, session);
      }),
    );
  } finally {
    release(false);
  }
}

const toError = (error: unknown): unknown => error;
const NOTHING_UNKNOWN = { extensions: false, scripts: false };

/**
 * Triggers, rules and expressions of policies; functions of policies, defaults, checks, operators and casts.
 * Functions in C are those of extensions.
 */
const TRIGGERS = `WITH f AS (
    SELECT p.oid, coalesce(nullif(p.prosrc, ''), 'SELECT') AS body FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
    WHERE l.lanname NOT IN ('internal', 'c') AND p.oid >= 16384
  )
  SELECT t.tgname::text AS name, c.relname::text AS "table", f.body FROM pg_trigger t
    JOIN pg_class c ON c.oid = t.tgrelid JOIN f ON f.oid = t.tgfoid WHERE NOT t.tgisinternal AND t.tgenabled <> 'D'
  UNION ALL SELECT 'rule ' || r.rulename, c.relname, 'SELECT' FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
    WHERE r.ev_type <> '1' AND r.ev_enabled <> 'D' AND c.oid >= 16384
  UNION ALL SELECT 'policy ' || p.polname, c.relname, concat_ws(' ', pg_get_expr(p.polqual, c.oid), pg_get_expr(p.polwithcheck, c.oid))
    FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE c.relrowsecurity
  UNION ALL SELECT 'policy ' || p.polname, c.relname, f.body FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
    JOIN pg_depend d ON d.classid = 'pg_policy'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_proc'::regclass
    JOIN f ON f.oid = d.refobjid WHERE c.relrowsecurity
  UNION ALL SELECT 'default of ' || a.attname, c.relname, f.body FROM pg_attrdef e JOIN pg_class c ON c.oid = e.adrelid
    JOIN pg_attribute a ON a.attrelid = e.adrelid AND a.attnum = e.adnum
    JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = e.oid AND d.refclassid = 'pg_proc'::regclass
    JOIN f ON f.oid = d.refobjid
  UNION ALL SELECT 'check ' || k.conname, coalesce(c.relname, ''), f.body FROM pg_constraint k LEFT JOIN pg_class c ON c.oid = k.conrelid
    JOIN pg_depend d ON d.classid = 'pg_constraint'::regclass AND d.objid = k.oid AND d.refclassid = 'pg_proc'::regclass
    JOIN f ON f.oid = d.refobjid WHERE k.contype = 'c'
  UNION ALL SELECT 'operator ' || o.oprname, '', f.body FROM pg_operator o JOIN f ON f.oid = o.oprcode
  UNION ALL SELECT 'cast to ' || format_type(k.casttarget, NULL), '', f.body FROM pg_cast k JOIN f ON f.oid = k.castfunc`;

async function withWire<T>(wires: PgConnections, work: (wire: PgConnection) => Promise<T>): Promise<T> {
  const { wire, release } = await acquireConnection(wires);
  try {
    return await work(wire);
  } finally {
    release(false);
  }
}

const fetchRows = <T>(wires: PgConnections, query: string): Promise<readonly T[]> =>
  withWire(wires, async ({ client }) => (await client.query<T & Record<string, unknown>>(query)).rows);

const fetchTriggers = (wires: PgConnections): Promise<readonly Trigger[]> => fetchRows<Trigger>(wires, TRIGGERS);

const ONE: PgCommand = { name: 'lintel_one', text: 'SELECT 1' };
const WATCH: PgCommand = { name: 'lintel_triggers', text: TRIGGERS };

/** Sent like the statements of requests, so that a connection without a response is closed. */
const fetchSpare = (wires: PgConnections, command: PgCommand, deadline: number): Promise<readonly Row[]> =>
  new Promise((resolve, reject) => {
    wires.acquireSpare((failure, wire, release) => {
      if (wire === undefined) return void reject(toPostgresFault(failure));
      sendStatement(wire, command, [], ALONE, performance.now() + deadline, null, ({ error, answer }) => {
        release(error !== undefined);
        if (error === undefined) resolve(answer);
        else reject(toPostgresFault(error));
      });
    });
  });

export default defineRuntime<Dialect, PostgresStore>(dialect, {
  create(context) {
    const { isolation, streams, isReplica } = readPostgresOptions(context.options);
    const store = createPostgresDialect(
      () => requireConnections(handle),
      (need) => isolation(handle.triggered ? SERIALIZABLE : need),
      streams,
    );
    const handle: PostgresStore = Object.assign(store, { context, isReplica, wires: null, triggered: false });
    return handle;
  },

  createRowSource: (handle) => createTableRows(handle, POSTGRES_STATEMENTS),

  createConsolePane: (handle, { instance }) => createPoolPane(instance, () => handle.wires?.measure() ?? null),

  describeStorage: () => ({ elsewhere: '`pg_dump`, or a base backup with the log' }),

  async open(handle, context) {
    const url = context.options['url'];
    if (typeof url !== 'string' || !/^postgres(?:ql)?:\/\//.test(url)) throw createAddressFault(context.instance);
    const wires = createPgConnections(readPostgresOptions(context.options), context.log);
    let triggered: boolean;
    try {
      await wires.open();
      triggered = !handle.isReplica && isTriggered(await fetchTriggers(wires), context.instance, context.log);
    } catch (error) {
      await wires.close();
      throw createConnectFault(context.instance, error);
    }
    handle.wires = wires;
    handle.triggered = triggered;
  },

  async plan(handle, tables, context, how) {
    return outlineMigration(createTarget(requireConnections(handle), context), tables, how);
  },

  async syncSchema(handle, tables, context, progress, how) {
    const { instance, log } = context;
    const wires = requireConnections(handle);
    const changed = await migrate(createTarget(wires, context), tables, { log, progress, how });
    if (changed) for (const wire of wires.all) invalidateStatements(wire);
    if (handle.triggered || handle.isReplica) return false;
    // Scripts may have made triggers.
    handle.triggered = isTriggered(await fetchTriggers(wires), instance, log);
    return handle.triggered;
  },

  fillIndexes: (handle, tables, context, sources, progress) =>
    fillBlindIndexes(createTarget(requireConnections(handle), context), tables, sources, progress),

  readObjects: async (handle) =>
    (await fetchRows<{ text: string }>(requireConnections(handle), OBJECTS)).map(({ text }) => text),

  checkStatements: (handle, questions) => probeStatements(requireConnections(handle), questions),

  createTestDatabase,

  readTables: ({ instance, options }, models) =>
    readTables(
      { withSession: createWithClient({ instance, options }), flavour: () => postgresFlavour, store: instance },
      models,
    ),

  openTestStore: (handle) => createTestStore(createTestSession((work) => withWire(requireConnections(handle), work))),

  async close(handle) {
    const { wires } = handle;
    handle.wires = null;
    await wires?.close();
  },

  async health(handle) {
    try {
      const { triggered, isReplica, context } = handle;
      const { deadline } = readPostgresOptions(context.options);
      const isSettled = triggered || isReplica;
      const checkServer = (): Promise<readonly Row[]> =>
        fetchSpare(requireConnections(handle), isSettled ? ONE : WATCH, deadline);
      // The connection may be lost.
      const rows = await checkServer().catch(checkServer);
      if (!isSettled)
        handle.triggered = warnTriggered(rows as readonly (Row & Trigger)[], context.instance, context.log);
      return { ok: true };
    } catch {
      return { ok: false, detail: 'the database does not respond' };
    }
  },
});
