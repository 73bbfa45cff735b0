/**
 * Differences between databases in the dialect contract: as data, each with its reason. Nothing is skipped silently: a
 * different case still runs, and must have the result or the rejection given here.
 */
import { expect } from 'chai';
import { BootError } from '../../contract/boot-error.js';
import { Fault } from '../../contract/fault.js';

/** `answer`: the different result; without it the statement is rejected before it is sent. */
export interface Difference {
  readonly why: string;
  readonly answer?: unknown;
}

export interface DialectFlavour {
  /** The text of a CREATE TABLE. */
  readonly ddl: (sql: string) => string;
  /** By the text of the expression or the statement. */
  readonly differences: Readonly<Record<string, Difference>>;
  /** An INSERT into a table without any key returns its row. */
  readonly keyless: boolean;
  /** PostgreSQL: its specific syntax is tested too. */
  readonly postgresql: boolean;
}

export const POSTGRESQL: DialectFlavour = {
  ddl: (sql) => sql,
  differences: {},
  keyless: true,
  postgresql: true,
};

const NO_ARRAYS = { why: 'there are no arrays' };
const NO_TYPE = { why: 'there is no such type' };

const SHARED: Readonly<Record<string, Difference>> = {
  "'infinity'::timestamptz": { why: 'there is no infinite timestamp' },
  "'0044-03-15 00:00:00 BC'::timestamp": { why: 'timestamps begin with the year 0' },
  "'1 day 2 hours'::interval": { why: 'an interval has one unit' },
  [String.raw`'\x6869'::bytea`]: NO_TYPE,
  "'(1,2)'::point": NO_TYPE,
  'ARRAY[1,2,NULL]::int[]': NO_ARRAYS,
  [String.raw`ARRAY['a','b,c','d"e\f','NULL','',NULL]::text[]`]: NO_ARRAYS,
  'ARRAY[]::text[]': NO_ARRAYS,
  'ARRAY[ARRAY[1,2],ARRAY[3,4]]': NO_ARRAYS,
  [`ARRAY['{"a":1}']::jsonb[]`]: NO_ARRAYS,
  "ARRAY['2026-01-02 03:04:05+00']::timestamptz[]": NO_ARRAYS,
  '$1::text[]': NO_ARRAYS,
  '$1::int[]': NO_ARRAYS,
  "'2026-01-02 03:04:05+00'::timestamptz::text": {
    why: 'a timestamp as text has six digits of a second and no zone',
    answer: '2026-01-02 03:04:05.000000',
  },
  'SELECT 1 / $1::int': { why: 'a division by zero is NULL', answer: null },
};

const addCollation =
  (collation: string) =>
  (sql: string): string =>
    sql.startsWith('CREATE TABLE')
      ? `${sql
          .replace(/\btext (PRIMARY KEY|UNIQUE|NOT NULL DEFAULT)/g, 'varchar(190) $1')
          .replaceAll('jsonb', 'json')} CHARACTER SET utf8mb4 COLLATE ${collation}`
      : sql;

export const MYSQL: DialectFlavour = {
  ddl: addCollation('utf8mb4_0900_bin'),
  differences: SHARED,
  keyless: false,
  postgresql: false,
};

export const MARIADB: DialectFlavour = {
  ddl: addCollation('utf8mb4_nopad_bin'),
  differences: { ...SHARED, 'SELECT $1::text::jsonb': { why: 'text that is not JSON becomes NULL', answer: null } },
  keyless: true,
  postgresql: false,
};

/** The reason of a rejection before sending: a text, or a value of the wrong type. */
export async function expectRejected(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof BootError) {
      expect(error.code).to.equal('QRY_NOT_TRANSLATED');
      expect(error.params['what']).to.be.a('string').and.not.equal('');
      return;
    }
    if (error instanceof Fault) return void expect(error.code).to.equal('QRY_BAD_VALUE');
    throw error;
  }
  throw new Error('expected a refusal');
}
