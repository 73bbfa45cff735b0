/** Maps models to PostgreSQL types; migrates under an advisory lock. */
import type { ColumnType, ModelColumn, ModelTable } from '../../../contract/model.js';
import { Fault } from '../../../contract/fault.js';
import { isLocked, isViolatedByRows, LOCK_WAIT_LOCAL, applySeparateChange } from './separate-changes.js';
import { formatArrayLiteral } from './arrays.js';
import { isPostgresConnectionLost, getSqlState, toPostgresFault } from './errors.js';
import { introspectPostgres } from './introspect.js';
import type { Flavour, KnownColumn, Misfit, TypeMapping } from './migration-types.js';
import { quoteSqlName } from '../../queries/sql/text/quotes.js';

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
  text: ['text', 'varchar', 'bpchar', 'citext', 'uuid', 'name', 'enum'],
  boolean: ['bool'],
  timestamp: ['timestamptz', 'timestamp', 'date'],
  json: ['jsonb', 'json'],
};

function findPostgresMisfit(_: ModelTable, { type, maxLength }: ModelColumn, known: KnownColumn): Misfit | null {
  if (!FITTING[type].includes(known.type))
    return { message: `column has type ${known.type}, the model says ${type}`, blocks: 'references', serious: true };
  if (known.length === null || (maxLength !== null && known.length >= maxLength)) return null;
  const says = maxLength === null ? 'says no bound' : `says ${maxLength}`;
  return { message: `column takes ${known.length} characters, the model ${says}`, blocks: 'nothing', serious: true };
}

const shape: TypeMapping = {
  getType: (_, { type }) => TYPES[type],
  findMisfit: findPostgresMisfit,
  getLengthLimit: (_, { type, maxLength }) => (type === 'text' ? maxLength : null),
  explainUnsupported: () => null,
};

/** An arbitrary advisory lock key, the same for every process. */
const LOCK = '7306089142510571';

export const postgresFlavour: Flavour = {
  transactional: true,
  introspect: (session, tables) =>
    introspectPostgres(
      session,
      tables &&
        formatArrayLiteral(
          tables.map(({ table }) => table),
          (name) => String(name),
        ),
    ),
  mapTypes: () => shape,
  removeViolatedChecks: (_, plan) => Promise.resolve(plan),
  write: async (changes) => (await import('./ddl.js')).writePostgresDdl(changes),
  placeholder: (n) => `$${n}`,
  quote: quoteSqlName,
  async lock(session) {
    // Building an index or waiting for a process takes longer than requests.
    await session.query('SET LOCAL statement_timeout = 0');
    await session.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    await session.query(LOCK_WAIT_LOCAL);
  },
  applySeparately: applySeparateChange,
  isViolatedByRows,
  isLocked,
  isDuplicate: (cause) => getSqlState(cause) === '23505',
  isUnavailable: (cause) =>
    cause instanceof Fault ? cause.code === 'QRY_UNAVAILABLE' : isPostgresConnectionLost(cause),
  sanitizeError: (cause) => toPostgresFault(cause).options.cause,
};
