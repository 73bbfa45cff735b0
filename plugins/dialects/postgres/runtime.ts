/** Runtime of the dialect `postgres`: opens, closes, migrates and checks the connections of one server. */
import { fault } from '../../../contract/fault.js';
import { defineRuntime } from '../../../contract/plugin.js';
import type { RuntimeContext } from '../../../contract/plugin.js';
import type { Question, Refusal } from '../../../contract/trial.js';
import { scanSql } from '../../../language/strings/sql.js';
import { dialect, SERIALIZABLE } from '../kind.js';
import type { Dialect } from '../kind.js';
import { addressFault, connectFault } from '../shared/connect.js';
import { toFault } from '../shared/errors.js';
import { migrate, outline, type Migrated } from '../shared/migrate.js';
import { refusalOf, sentAs, withFunctions } from '../shared/refusals.js';
import type { Session } from '../shared/session.js';
import { postgresFlavour } from '../shared/shape-postgres.js';
import { isTriggered, type Trigger } from '../shared/triggers.js';
import { parserOf } from '../shared/types.js';
import { createDialect } from './dialect.js';
import { readOptions } from './options.js';
import { forget } from './wire.js';
import type { Wire } from './wire.js';
import { createWires } from './wires.js';
import type { Wires } from './wires.js';

interface Server {
  readonly context: RuntimeContext;
  wires: Wires | null;
  /** Triggers access tables that no statement names. */
  triggered: boolean;
}

const servers = new WeakMap<Dialect, Server>();

function wiresOf(handle: Dialect): Wires {
  const wires = servers.get(handle)?.wires;
  if (!wires) throw fault('QRY_UNAVAILABLE', {}, { retryable: true, headers: { 'retry-after': '1' } });
  return wires;
}

const lease = (wires: Wires): Promise<{ wire: Wire; release: (broken: boolean) => void }> =>
  new Promise((resolve, reject) => {
    wires.lease(null, (error, wire, release) => (wire ? resolve({ wire, release }) : reject(toFault(error))));
  });

const sessionOf = ({ client }: Wire): Session => ({
  query: async (text, values) => {
    const types = { getTypeParser: parserOf as never };
    const result = await client.query<Record<string, unknown>>({ text, values: [...(values ?? [])], types });
    return result.rows;
  },
});

async function withSession<T>(wires: Wires, work: (session: Session) => Promise<T>): Promise<T> {
  const { wire, release } = await lease(wires);
  const session = sessionOf(wire);
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

async function outside<T>(wires: Wires, work: (session: Session) => Promise<T>): Promise<T> {
  const { wire, release } = await lease(wires);
  try {
    return await work(sessionOf(wire));
  } finally {
    // RESET is for poolers, which keep the connection.
    await wire.client.query('RESET lock_timeout; RESET statement_timeout').catch(() => undefined);
    release(true);
  }
}

const migrated = (wires: Wires, store: string): Migrated => ({
  withSession: (work) => withSession(wires, work),
  outside: (work) => outside(wires, work),
  flavour: () => postgresFlavour,
  store,
});

/** Statements that PREPARE supports. */
const PREPARED = /^(?:SELECT|VALUES|TABLE|INSERT|UPDATE|DELETE|MERGE)$/;
const PREPARE = 'PREPARE lintel_asked AS ';

async function ask(wires: Wires, questions: readonly Question[]): Promise<(Refusal | null)[]> {
  const { wire, release } = await lease(wires);
  try {
    const sent = questions.map(({ text }) => sentAs(text));
    // Each is one exchange and one transaction, because a pooler may send each to another server.
    const errors = await Promise.all(
      sent.map(async ({ scan, text }) =>
        PREPARED.test(scan.verb)
          ? wire.client.query(`${PREPARE}${text}\n; DEALLOCATE lintel_asked`).then(() => null, toError)
          : null,
      ),
    );
    const session = sessionOf(wire);
    return await Promise.all(
      sent.map(async (one, i) => {
        const refusal = errors[i] === null ? null : refusalOf(errors[i], one, NO_DOUBTS, PREPARE.length + 1);
        return refusal && withFunctions(refusal, session);
      }),
    );
  } finally {
    release(false);
  }
}

const toError = (error: unknown): unknown => error;
const NO_DOUBTS = { extensions: false, scripts: false };

const selectOne = scanSql('SELECT 1');

const TRIGGERS = `SELECT t.tgname AS name, c.relname AS "table", p.prosrc AS body FROM pg_trigger t
  JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_language l ON l.oid = p.prolang
  WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' AND l.lanname NOT IN ('internal', 'c')`;

async function triggersOf(wires: Wires): Promise<readonly Trigger[]> {
  const { wire, release } = await lease(wires);
  try {
    return (await wire.client.query<Trigger & Record<string, unknown>>(TRIGGERS)).rows;
  } finally {
    release(false);
  }
}

export default defineRuntime(dialect, {
  create(context) {
    const { isolation } = readOptions(context.options);
    const handle = createDialect(
      () => wiresOf(handle),
      (need) => isolation(servers.get(handle)?.triggered === true ? SERIALIZABLE : need),
    );
    servers.set(handle, { context, wires: null, triggered: false });
    return handle;
  },

  keeps: () => ({ elsewhere: '`pg_dump`, or a base backup with the log' }),

  async open(handle, context) {
    const url = context.options['url'];
    if (typeof url !== 'string' || !/^postgres(?:ql)?:\/\//.test(url)) throw addressFault(context.instance);
    const wires = createWires(readOptions(context.options), context.log);
    let triggered: boolean;
    try {
      await wires.open();
      triggered = isTriggered(await triggersOf(wires), context.instance, context.log);
    } catch (error) {
      await wires.close();
      throw connectFault(context.instance, error);
    }
    const server = servers.get(handle);
    if (server) Object.assign(server, { wires, triggered });
  },

  async plan(handle, tables, { instance }, how) {
    return outline(migrated(wiresOf(handle), instance), tables, how);
  },

  async adopt(handle, tables, { instance, log }, progress, how) {
    const wires = wiresOf(handle);
    const changed = await migrate(migrated(wires, instance), tables, { log, progress, how });
    if (changed) for (const wire of wires.all) forget(wire);
  },

  ask: (handle, questions) => ask(wiresOf(handle), questions),

  async close(handle) {
    const server = servers.get(handle);
    const wires = server?.wires;
    if (server) server.wires = null;
    await wires?.close();
  },

  async health(handle) {
    try {
      await handle.run(handle.prepare({ scan: selectOne, jsonColumns: [] }), [], null);
      return { ok: true };
    } catch {
      return { ok: false, detail: 'the database does not answer' };
    }
  },
});
