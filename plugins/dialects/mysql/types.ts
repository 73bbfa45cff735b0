/** The types of bound values, and how type names of casts and columns map to them. Data only. */
export type Flavour = 'mysql' | 'mariadb';

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

const castType = (value: ValueType, sql: string | null, label: string): CastType => ({ value, sql, label });
const CHAR = 'CHAR';

const CASTS: Readonly<Record<string, CastType>> = {
  text: castType('text', CHAR, 'text'),
  varchar: castType('text', CHAR, 'varchar'),
  'character varying': castType('text', CHAR, 'varchar'),
  smallint: castType('small', 'SIGNED', 'int2'),
  int2: castType('small', 'SIGNED', 'int2'),
  int: castType('int', 'SIGNED', 'int4'),
  int4: castType('int', 'SIGNED', 'int4'),
  integer: castType('int', 'SIGNED', 'int4'),
  bigint: castType('big', 'SIGNED', 'int8'),
  int8: castType('big', 'SIGNED', 'int8'),
  numeric: castType('number', 'DECIMAL(65,20)', 'numeric'),
  decimal: castType('number', 'DECIMAL(65,20)', 'numeric'),
  real: castType('float', 'DOUBLE', 'float4'),
  float4: castType('float', 'DOUBLE', 'float4'),
  float8: castType('float', 'DOUBLE', 'float8'),
  'double precision': castType('float', 'DOUBLE', 'float8'),
  boolean: castType('boolean', null, 'bool'),
  bool: castType('boolean', null, 'bool'),
  json: castType('json', null, 'json'),
  jsonb: castType('json', null, 'jsonb'),
  uuid: castType('uuid', CHAR, 'uuid'),
  date: castType('date', 'DATE', 'date'),
  time: castType('time', 'TIME(6)', 'time'),
  timestamp: castType('instant', 'DATETIME(6)', 'timestamp'),
  timestamptz: castType('instant', 'DATETIME(6)', 'timestamptz'),
  'timestamp with time zone': castType('instant', 'DATETIME(6)', 'timestamptz'),
  'timestamp without time zone': castType('instant', 'DATETIME(6)', 'timestamp'),
};

/** Types with a size of the same meaning in MySQL. */
const SIZED: Readonly<Record<string, string>> = {
  numeric: 'DECIMAL',
  decimal: 'DECIMAL',
  varchar: 'CHAR',
  'character varying': 'CHAR',
};

/** Undefined: no counterpart. */
export function castOf(type: string): CastType | undefined {
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

export const columnType = (dataType: string, fullType: string): ValueType | undefined => {
  if (fullType === 'tinyint(1)') return 'boolean';
  return Object.hasOwn(COLUMNS, dataType) ? COLUMNS[dataType] : undefined;
};
