/** Maps models to PostgreSQL types and migrates in one transaction under an advisory lock. */
import type { ColumnType, ModelColumn, ModelTable } from '../../../contract/model.js';
import { Fault } from '../../../contract/fault.js';
import { isLocked, isRefusedByRows, LOCK_WAIT_LOCAL, makeApart } from './apart.js';
import { arrayLiteral } from './arrays.js';
import { isLost, sqlState, toFault } from './errors.js';
import { introspect } from './introspect.js';
import type { Flavour, KnownColumn, Misfit, Shape } from './known.js';

const TYPES: Readonly<Record<ColumnType, string>> = {
  integer: 'bigint',
  float: 'double precision',
  text: 'text',
  boolean: 'boolean',
  timestamp: 'timestamptz',
  json: 'jsonb',
};

const FITTING: Readonly<Record<ColumnType, readonly string[]>> = {
  integer: ['int8', 'int4', 'int2', 'numeric'],
  float: ['float8', 'float4', 'numeric'],
  text: ['text', 'varchar', 'bpchar', 'citext', 'uuid', 'name'],
  boolean: ['bool'],
  timestamp: ['timestamptz', 'timestamp', 'date'],
  json: ['jsonb', 'json'],
};

function misfit(_: ModelTable, { type, maxLength }: ModelColumn, known: KnownColumn): Misfit | null {
  if (!FITTING[type].includes(known.type))
    return { message: `column has type ${known.type}, the model says ${type}`, blocks: 'references', serious: true };
  if (known.length === null || (maxLength !== null && known.length >= maxLength)) return null;
  const says = maxLength === null ? 'says no bound' : `says ${maxLength}`;
  return { message: `column takes ${known.length} characters, the model ${says}`, blocks: 'nothing', serious: true };
}

const shape: Shape = {
  typeOf: (_, { type }) => TYPES[type],
  misfit,
  bound: (_, { type, maxLength }) => (type === 'text' ? maxLength : null),
  cannot: () => null,
};

/** An arbitrary advisory lock key, the same for every process. */
const LOCK = '7306089142510571';

export const postgresFlavour: Flavour = {
  transactional: true,
  introspect: (session, tables) =>
    introspect(
      session,
      arrayLiteral(
        tables.map(({ table }) => table),
        (name) => String(name),
      ),
    ),
  shape: () => shape,
  settle: (_, plan) => Promise.resolve(plan),
  write: async (changes) => (await import('./ddl.js')).writeDdl(changes),
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  async lock(session) {
    // Request timeouts are too short for building an index or waiting for another process.
    await session.query('SET LOCAL statement_timeout = 0');
    await session.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    await session.query(LOCK_WAIT_LOCAL);
    // The end of the transaction releases the lock.
    return () => Promise.resolve();
  },
  apart: makeApart,
  isRefusedByRows,
  isLocked,
  isDuplicate: (cause) => sqlState(cause) === '23505',
  isAway: (cause) => (cause instanceof Fault ? cause.code === 'QRY_UNAVAILABLE' : isLost(cause)),
  clean: (cause) => toFault(cause).options.cause,
};
