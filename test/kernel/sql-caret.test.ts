/** The caret inside SQL and the pieces of it: total on any text, at any offset, with places that lie inside the text. */
import { expect } from 'chai';
import { caretInSql } from '../../kernel/language/sql-caret.js';
import { sqlPieces } from '../../kernel/language/sql-names.js';
import { scanSql } from '../../kernel/language/sql.js';
import { cpuTime } from '../support/cpu.js';

const TEXTS = [
  'WITH RECURSIVE t (a) AS (SELECT 1 UNION ALL SELECT t.a + 1 FROM t WHERE a < $1) SELECT * FROM t, LATERAL (SELECT *) x',
  'INSERT INTO "A".b AS c (x, "y") SELECT u.*, count(*) FROM u GROUP BY 1 ON CONFLICT (x) DO UPDATE SET y = excluded.y RETURNING *',
  "UPDATE a SET (x, y) = ($1, 'b''c'), z = $2::int[] FROM (SELECT * FROM (SELECT * FROM w) v) s WHERE a.id = s.id -- end",
  'SELECT ((((( FROM )) WITH x AS ( , SELECT * FROM x JOIN ON USING (SET a, ) VALUES (1), (2, $',
  'SELECT `a` . `b , `` ` FROM`c`=`d`+`e WHERE "f` = `g" ',
  '$tag$ "open \' /* \ud800 $$ :: . .. ; ; SELECT . FROM . JOIN',
];

describe('caret in SQL', () => {
  for (const whole of TEXTS) {
    it(`stands anywhere in: ${whole.slice(0, 40)}`, () => {
      for (let at = 0; at <= whole.length; at++) {
        for (const text of [whole, whole.slice(0, at), whole.slice(0, at) + whole.slice(at + 3)]) {
          const caret = caretInSql(text, at);
          if (caret !== null)
            expect(0 <= caret.start && caret.start <= at && caret.end <= Math.max(at, text.length)).to.equal(true);
          let last = 0;
          for (const { start, end } of sqlPieces(scanSql(text))) {
            expect(start >= last && end > start && end <= text.length, text).to.equal(true);
            last = end;
          }
        }
      }
    });
  }

  it('is quick in a nest of sub-queries', () => {
    const text = `${'SELECT * FROM ('.repeat(40)}SELECT ${') a'.repeat(40)}`;
    expect(cpuTime(() => caretInSql(text, text.indexOf('SELECT )') + 7))).to.be.below(2000);
  });
});
