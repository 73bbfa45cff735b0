/**
 * Migrations of MySQL and MariaDB on a scripted session, apart from the changes: the lock, checks that wait for rows,
 * and error messages.
 */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Row } from '../../../plugins/dialects/kind.js';
import { createMysqlTarget } from '../../../plugins/dialects/mysql/migrate.js';
import type { TableChange, PlanWarning } from '../../../plugins/dialects/shared/changes.js';
import type { MigrationSession } from '../../../plugins/dialects/shared/session.js';
import { defineColumn, id } from '../../contracts/dialect-support.js';

/** `answers`: rows by a part of the statement. A statement is recorded when it has ended. */
function scripted(answers: Readonly<Record<string, Row>> = {}): MigrationSession & { readonly sent: string[] } {
  const sent: string[] = [];
  return {
    sent,
    async query(text) {
      await new Promise((resolve) => setImmediate(resolve));
      sent.push(text);
      const found = Object.keys(answers).find((part) => text.includes(part));
      return found === undefined ? [] : [answers[found] as Row];
    },
  };
}
const flavourOn = (session: MigrationSession) =>
  createMysqlTarget(() => Promise.reject(new Error('no session is opened')), 'main').flavour(session);
const flavour = (v: string) => flavourOn(scripted({ 'version()': { v } }));
const named = { table: 't', column: 'a', name: 't_a_length' };
const LENGTH: TableChange = { change: 'add-length', length: 5, ...named };

describe('MySQL migrations on a scripted session', () => {
  for (const [version, setting] of [
    ['8.4.0', 'max_execution_time'],
    ['11.8.1-MariaDB', 'max_statement_time'],
    ['10.6-mariadb', 'max_statement_time'],
  ] as const)
    it(`lock their database on ${version} without a timeout; the end of the session releases the lock`, async () => {
      const session = scripted({ 'version()': { v: version }, 'database()': { d: 'shop' } });
      const known = await flavourOn(session);
      await known.lock(session);
      const name = `lintel_${createHash('sha256').update('shop').digest('hex').slice(0, 40)}`;
      const taking = [
        'SELECT version() AS v',
        `SET SESSION ${setting} = 0`,
        'SET SESSION lock_wait_timeout = 31536000',
        'SELECT database() AS d',
        `SELECT GET_LOCK('${name}', 31536000) AS l`,
      ];
      expect(session.sent).to.deep.equal(taking);
    });

  it('support the collations and the catalogue of each server, and roll nothing back', async () => {
    for (const [version, collation, checks] of [
      ['8.4.0', 'utf8mb4_0900_bin', 0],
      ['11.8.1-MariaDB', 'utf8mb4_nopad_bin', 1],
    ] as const) {
      const known = await flavour(version);
      const table = { model: '_t', table: 't', stores: [], columns: [], uniques: [] };
      expect(known.mapTypes([], new Map()).getType(table, defineColumn('a', 'text'))).to.equal(
        `LONGTEXT CHARACTER SET utf8mb4 COLLATE ${collation}`,
      );
      const [created] = await known.write([
        { change: 'create-table', table: 't', columns: [{ column: id, type: 'BIGINT' }] },
      ]);
      expect(created?.sql.endsWith(` COLLATE ${collation}`)).to.equal(true);
      const session = scripted({ 'information_schema.tables': { tbl: 't', kind: 'BASE TABLE' } });
      expect([...(await known.introspect(session, [table])).keys()]).to.deep.equal(['t']);
      expect(session.sent.filter((text) => text.includes('c.table_name = t.table_name'))).to.have.length(checks);
      expect([known.transactional, known.quote('a`')]).to.deep.equal([false, '`a```']);
    }
  });

  const message = (count: string): PlanWarning => ({
    ...{ table: 't', column: 'a', serious: true },
    message: `${count} longer than 5 characters: no check is added while they are there`,
  });
  const EARLIER: PlanWarning = { table: 'x', column: undefined, message: 'said before', serious: false };
  const a = { column: defineColumn('a', 'text'), type: 'X' };
  const INDEX: TableChange = { change: 'add-index', ...named };
  for (const [title, changes, rows, left, warnings] of [
    ['is added if no value is too long', [LENGTH], { n: 0 }, [LENGTH], []],
    ['is added if the server returns nothing', [LENGTH], undefined, [LENGTH], []],
    ['is skipped for one value', [INDEX, LENGTH], { n: '1' }, [INDEX], [message('1 value is')]],
    ['is skipped for two values', [LENGTH, INDEX], { n: 2 }, [INDEX], [message('2 values are')]],
    [
      'is skipped next to another new column or table',
      [
        { change: 'add-column', table: 't', ...a, column: defineColumn('b', 'text') },
        { change: 'add-column', table: 'u', ...a },
        { change: 'create-table', table: 'u', columns: [a] },
        LENGTH,
      ],
      { n: 2 },
      3,
      [message('2 values are')],
    ],
    ['is added with its table', [{ change: 'create-table', table: 't', columns: [a] }, LENGTH], { n: 2 }, 2, []],
    ['is added with its column', [{ change: 'add-column', table: 't', ...a }, LENGTH], { n: 2 }, 2, []],
    ['is the only change that is skipped', [INDEX], { n: 2 }, [INDEX], []],
  ] as const satisfies readonly (readonly [
    string,
    readonly TableChange[],
    Row | undefined,
    number | readonly TableChange[],
    readonly PlanWarning[],
  ])[]) {
    it(`a length check ${title}`, async () => {
      const session = scripted(rows === undefined ? {} : { count: rows });
      const settled = await (await flavour('8')).removeViolatedChecks(session, { changes, warnings: [EARLIER] });
      expect(settled).to.deep.equal({
        changes: typeof left === 'number' ? changes.slice(0, left) : left,
        warnings: [EARLIER, ...warnings],
      });
      const isRead = warnings.length > 0 || title.startsWith('is added if');
      const sql = 'SELECT count(*) AS n FROM `t` WHERE char_length(`a`) > 5';
      expect(session.sent).to.deep.equal(isRead ? [sql] : []);
    });
  }

  const failure = (fields: object) => Object.assign(new Error('value x'), fields);
  for (const [title, error, isDuplicate, isAway, expected] of [
    ['a duplicate', failure({ errno: 1062, code: 'C', sqlState: '23000' }), true, false, 'database error 1062'],
    ['a duplicate in an index', failure({ errno: 1586, sqlState: '23000' }), true, false, 'database error 1586'],
    ['a value out of range', failure({ errno: 1264, sqlState: '22003' }), false, false, 'database error 1264'],
    ['an existing table', failure({ errno: 1050, sqlState: '42S01' }), false, false, 'value x'],
    ['a state that contains 22', failure({ errno: 1, sqlState: '42220' }), false, false, 'value x'],
    ['a lost connection', failure({ errno: 2013 }), false, true, 'value x'],
    ['the network', failure({ errno: -104, code: 'ECONNRESET' }), false, true, null],
    ['no number', failure({ errno: '1062' }), false, false, null],
    ['number zero', failure({ errno: 0, sqlState: '22000' }), false, false, null],
    ['no error', { errno: 1062 }, true, false, null],
    ['nothing', null, false, false, null],
    ['a text', 'text', false, false, null],
  ] as const) {
    it(`${title}: ${isDuplicate ? 'is a duplicate, ' : ''}${isAway ? 'is unavailable, ' : ''}has the message ${expected ?? 'of the server'}`, async (): Promise<void> => {
      const known = await flavour('8');
      expect([known.isDuplicate(error), known.isUnavailable(error)]).to.deep.equal([isDuplicate, isAway]);
      const cleaned = known.sanitizeError(error);
      if (expected === null) return void expect(cleaned).to.equal(error);
      const { errno, code } = error as unknown as { errno: number; code?: string };
      expect(cleaned).to.be.instanceOf(Error).and.not.equal(error);
      expect(cleaned).to.include({ message: expected, name: 'DatabaseError', errno, code });
      expect(cleaned).not.to.have.property('sqlState');
    });
  }
});
