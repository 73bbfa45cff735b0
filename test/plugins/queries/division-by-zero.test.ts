/** The value that divides by zero is of the caller only where a placeholder divides. */
import { expect } from 'chai';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import { isDividedByPlaceholder } from '../../../plugins/queries/sql/statement.js';

const ROWS: readonly (readonly [sql: string, isOfCaller: boolean])[] = [
  ['SELECT 1 / $1', true],
  ['SELECT 1/$1::int AS n', true],
  ['SELECT price % ($1 - 1) FROM t', true],
  ['SELECT total / greatest($2, 0) FROM t WHERE id = $1', true],
  ['SELECT mod(id, $1) FROM t', true],
  ['SELECT 1 / count(*) FROM t WHERE id = $1', false],
  ['SELECT $1 / price FROM t', false],
  ['SELECT 1 / (count(*) - count(*)) AS n FROM generate_series(1, $1::int)', false],
  ["SELECT name || '/' || $1 FROM t", false],
  ['SELECT share($1) FROM t -- 1 / $1', false],
];

describe('division by zero', () => {
  for (const [sql, isOfCaller] of ROWS)
    it(sql, () => expect(isDividedByPlaceholder(scanSql(sql))).to.equal(isOfCaller));
});
