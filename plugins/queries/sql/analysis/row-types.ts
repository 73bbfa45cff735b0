/** Maps types of PostgreSQL to JSON Schema. Unlisted types stay open. */
import type { JsonSchema } from '../../../../contract/api.js';
import { ANY } from '../../../../contract/forms.js';

const INTEGER: JsonSchema = { type: 'integer' };
const NUMBER: JsonSchema = { type: 'number' };
const TEXT: JsonSchema = { type: 'string' };
const INSTANT: JsonSchema = { type: 'string', format: 'date-time' };

const CASTS: Readonly<Record<string, JsonSchema>> = {
  int2: INTEGER,
  int4: INTEGER,
  int8: INTEGER,
  bigint: INTEGER,
  numeric: NUMBER,
  float4: NUMBER,
  float8: NUMBER,
  bool: { type: 'boolean' },
  text: TEXT,
  varchar: TEXT,
  bpchar: TEXT,
  uuid: { type: 'string', format: 'uuid' },
  date: { type: 'string', format: 'date' },
  timestamp: INSTANT,
  timestamptz: INSTANT,
};

/** Functions with a fixed result type. */
const FUNCTIONS: Readonly<Record<string, JsonSchema>> = {
  count: INTEGER,
  now: INSTANT,
  gen_random_uuid: { type: 'string', format: 'uuid' },
  lower: { type: ['string', 'null'] },
  upper: { type: ['string', 'null'] },
  row_number: INTEGER,
};

const findSchema = (table: Readonly<Record<string, JsonSchema>>, name: string): JsonSchema =>
  Object.hasOwn(table, name) ? (table[name] ?? ANY) : ANY;

export const getCastSchema = (type: string): JsonSchema => findSchema(CASTS, type);
/** `format_type` of PostgreSQL, where it differs from casts. */
const NAMES: Readonly<Record<string, string>> = {
  smallint: 'int2',
  integer: 'int4',
  real: 'float4',
  'double precision': 'float8',
  boolean: 'bool',
  'character varying': 'varchar',
  character: 'bpchar',
  'timestamp without time zone': 'timestamp',
  'timestamp with time zone': 'timestamptz',
};

/** The schema of a type as a database names it, such as `numeric(10,2)` or `text[]`. */
export function getDatabaseTypeSchema(type: string): JsonSchema {
  if (type.endsWith('[]')) return { type: 'array' };
  const name = type.replace(/\([^()]*\)/, '').trim();
  return getCastSchema(Object.hasOwn(NAMES, name) ? (NAMES[name] ?? name) : name);
}

export const getFunctionSchema = (name: string): JsonSchema => findSchema(FUNCTIONS, name);
export const isKnownFunction = (name: string): boolean => Object.hasOwn(FUNCTIONS, name);
