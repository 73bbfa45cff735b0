/** The types of bound values, and their type names in casts and columns. */
export type ServerFlavour = 'mysql' | 'mariadb';

export type ValueType =
  | 'tiny'
  | 'small'
  | 'medium'
  | 'int'
  | 'big'
  | 'number'
  | 'float'
  | 'boolean'
  | 'text'
  | 'uuid'
  | 'instant'
  | 'date'
  | 'time'
  | 'json'
  | 'bytes';

interface CastType {
  readonly value: ValueType;
  /** Null: an expression other than CAST. */
  readonly sql: string | null;
  /** The name that PostgreSQL gives an unnamed column of this type. */
  readonly label: string;
}

const createCastType = (value: ValueType, sql: string | null, label: string): CastType => ({ value, sql, label });
const CHAR = 'CHAR';

const CASTS: Readonly<Record<string, CastType>> = {
  text: createCastType('text', CHAR, 'text'),
  varchar: createCastType('text', CHAR, 'varchar'),
  'character varying': createCastType('text', CHAR, 'varchar'),
  smallint: createCastType('small', 'SIGNED', 'int2'),
  int2: createCastType('small', 'SIGNED', 'int2'),
  int: createCastType('int', 'SIGNED', 'int4'),
  int4: createCastType('int', 'SIGNED', 'int4'),
  integer: createCastType('int', 'SIGNED', 'int4'),
  bigint: createCastType('big', 'SIGNED', 'int8'),
  int8: createCastType('big', 'SIGNED', 'int8'),
  numeric: createCastType('number', 'DECIMAL(65,20)', 'numeric'),
  decimal: createCastType('number', 'DECIMAL(65,20)', 'numeric'),
  real: createCastType('float', 'DOUBLE', 'float4'),
  float4: createCastType('float', 'DOUBLE', 'float4'),
  float8: createCastType('float', 'DOUBLE', 'float8'),
  'double precision': createCastType('float', 'DOUBLE', 'float8'),
  boolean: createCastType('boolean', null, 'bool'),
  bool: createCastType('boolean', null, 'bool'),
  json: createCastType('json', null, 'json'),
  jsonb: createCastType('json', null, 'jsonb'),
  uuid: createCastType('uuid', CHAR, 'uuid'),
  date: createCastType('date', 'DATE', 'date'),
  time: createCastType('time', 'TIME(6)', 'time'),
  timestamp: createCastType('instant', 'DATETIME(6)', 'timestamp'),
  timestamptz: createCastType('instant', 'DATETIME(6)', 'timestamptz'),
  'timestamp with time zone': createCastType('instant', 'DATETIME(6)', 'timestamptz'),
  'timestamp without time zone': createCastType('instant', 'DATETIME(6)', 'timestamp'),
};

/** Types with a size of the same meaning in MySQL. */
const SIZED: Readonly<Record<string, string>> = {
  numeric: 'DECIMAL',
  decimal: 'DECIMAL',
  varchar: 'CHAR',
  'character varying': 'CHAR',
};

/** Undefined: no counterpart. */
export function findCastType(type: string): CastType | undefined {
  const [, name = type, size] = /^([a-z0-9 ]+)\((\d+(?:,\d+)?)\)$/.exec(type) ?? [];
  const known = Object.hasOwn(CASTS, name) ? CASTS[name] : undefined;
  if (known === undefined || size === undefined) return known;
  const sized = Object.hasOwn(SIZED, name) ? SIZED[name] : undefined;
  return sized === undefined ? undefined : { ...known, sql: `${sized}(${size})` };
}

export const CAST_NAMES = 'text, varchar, int, bigint, numeric, float8, boolean, jsonb, uuid, date, time, timestamptz';

const COLUMNS: Readonly<Record<string, ValueType>> = {
  tinyint: 'tiny',
  smallint: 'small',
  mediumint: 'medium',
  int: 'int',
  bigint: 'big',
  decimal: 'number',
  float: 'float',
  double: 'float',
  char: 'text',
  varchar: 'text',
  tinytext: 'text',
  text: 'text',
  mediumtext: 'text',
  longtext: 'text',
  enum: 'text',
  set: 'text',
  uuid: 'text',
  json: 'json',
  date: 'date',
  time: 'time',
  datetime: 'instant',
  timestamp: 'instant',
  binary: 'bytes',
  varbinary: 'bytes',
  tinyblob: 'bytes',
  blob: 'bytes',
  mediumblob: 'bytes',
  longblob: 'bytes',
};

export const toValueType = (dataType: string, fullType: string): ValueType | undefined => {
  if (fullType === 'tinyint(1)') return 'boolean';
  return Object.hasOwn(COLUMNS, dataType) ? COLUMNS[dataType] : undefined;
};
