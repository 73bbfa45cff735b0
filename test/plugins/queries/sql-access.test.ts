/** Which tables a statement writes, also those inside a WITH list, however their names are written. */
import { expect } from 'chai';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import { analyseAccess } from '../../../plugins/queries/sql/text/access.js';

const listWrites = (sql: string): readonly string[] => analyseAccess(scanSql(sql), () => []).writes;

describe('tables that a statement writes', () => {
  for (const [sql, writes] of [
    ['UPDATE t SET a = 1', ['t']],
    ['WITH w AS (UPDATE t SET a = 1 RETURNING a) SELECT a FROM w, other', ['t']],
    ['WITH w AS (UPDATE ONLY (t) SET a = 1 RETURNING a) SELECT a FROM w', ['t']],
    ['WITH w AS (DELETE FROM s."T" RETURNING a) SELECT a FROM w', ['T']],
    ['WITH w AS (INSERT INTO s.t (a) VALUES (1) RETURNING a) UPDATE u SET a = 1', ['u', 't']],
    [`WITH w AS (UPDATE s /* ${'-'.repeat(200)} */ . t SET a = 1 RETURNING a) SELECT a FROM w`, ['t']],
    ['SELECT a FROM t FOR UPDATE', []],
  ] as const)
    it(`${sql.slice(0, 70)}: ${writes.join(', ') || 'none'}`, () => {
      expect(listWrites(sql)).to.deep.equal(writes);
    });
});
