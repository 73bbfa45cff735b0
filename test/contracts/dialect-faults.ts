/** Contract of rejections: every kind of database error has its code, and none contains a value or SQL text. */
import { expect } from 'chai';
import type { Fault } from '../../contract/fault.js';
import { dialectErrors } from '../../plugins/dialects/shared/errors.light.js';
import type { DialectFlavour } from './dialect-flavour.js';
import type { Run } from './dialect-support.js';
import { catchFault } from './dialect-support.js';

/** Everything of a fault that may reach a client. */
const formatFault = (fault: Fault): string =>
  JSON.stringify([fault.code, fault.params, fault.options.issues, fault.options.headers, fault.message]);

export function faultsContract(run: Run, { differences, postgresql }: DialectFlavour): void {
  before(async () => {
    await run(`CREATE TABLE parent (id int PRIMARY KEY)`);
    await run(`CREATE TABLE child (id int PRIMARY KEY, email text UNIQUE, name text NOT NULL DEFAULT 'x',
      age int CHECK (age > 0), parent_id int, a int, b int, UNIQUE (a, b),
      FOREIGN KEY (parent_id) REFERENCES parent (id))`);
    await run(`INSERT INTO child (id, email, a, b) VALUES (1, 'secret@x', 1, 1)`);
  });

  const cases: readonly (readonly [string, string, unknown[], string, string[]])[] = [
    ['a duplicate value', 'INSERT INTO child (id, email) VALUES (2, $1)', ['secret@x'], 'QRY_UNIQUE', ['/email']],
    ['a duplicate pair', 'INSERT INTO child (id, a, b) VALUES (2, $1, 1)', [1], 'QRY_UNIQUE', ['/a', '/b']],
    ['a missing parent', 'INSERT INTO child (id, parent_id) VALUES (2, $1)', [77], 'QRY_FOREIGN_KEY', ['/parent_id']],
    ['NULL', 'INSERT INTO child (id, name) VALUES (2, $1)', [null], 'QRY_NOT_NULL', ['/name']],
    ['a violated check', 'INSERT INTO child (id, age) VALUES (2, $1)', [-1], 'QRY_CHECK', []],
    ['text for a number', 'SELECT * FROM child WHERE id = $1', ['secret'], 'QRY_BAD_VALUE', ['$1']],
    ['a number out of range', 'SELECT * FROM child WHERE id = $1', ['99999999999'], 'QRY_BAD_VALUE', ['$1']],
    ['an impossible date', 'SELECT $1::date', ['2026-02-30'], 'QRY_BAD_VALUE', ['$1']],
    ['the second of two values', 'SELECT $1::int, $2::int', [1, 'secret'], 'QRY_BAD_VALUE', ['$2']],
    ['a NUL character', 'SELECT $1::text', ['secret\0'], 'QRY_BAD_VALUE', ['$1']],
    ['half a surrogate pair', 'SELECT $1::text', ['secret\ud800'], 'QRY_BAD_VALUE', ['$1']],
    ['a NUL character inside JSON', 'SELECT $1::jsonb', [{ a: 'secret\0' }], 'QRY_BAD_VALUE', ['$1']],
    ['half a surrogate pair inside JSON', 'SELECT $1::jsonb', [['secret\ud800']], 'QRY_BAD_VALUE', ['$1']],
    ['a number that is out of range of all types', 'SELECT $1::float8', [Infinity], 'QRY_BAD_VALUE', ['$1']],
    ['such a number inside JSON', 'SELECT $1::jsonb', [{ a: [-Infinity] }], 'QRY_BAD_VALUE', ['$1']],
    ['a sum that is out of range', 'SELECT $1::int8 + 1', [9223372036854775807n], 'QRY_BAD_VALUE', []],
    ['JSON that is none', 'SELECT $1::text::jsonb', ['{'], 'QRY_BAD_VALUE', []],
    ['a division by zero', 'SELECT 1 / $1::int', [0], 'QRY_BAD_VALUE', []],
    ['an unknown table', 'SELECT * FROM nowhere WHERE x = $1', ['secret'], 'QRY_FAILED', []],
    ['broken SQL', 'SELEC 1', [], 'QRY_FAILED', []],
  ];
  for (const [what, sql, values, code, pointers] of cases) {
    const difference = Object.hasOwn(differences, sql) ? differences[sql] : undefined;
    if (difference !== undefined) {
      it(`rejects ${what} differently: ${difference.why}`, async () => {
        expect((await run(sql, values)).flatMap((row) => Object.values(row))).to.deep.equal([difference.answer]);
      });
      continue;
    }
    it(`rejects ${what} with ${code}`, async () => {
      const fault = await catchFault(run(sql, values));
      expect(fault.code).to.equal(code);
      expect(fault.options.issues?.map((issue) => issue.pointer) ?? []).to.deep.equal(pointers);
      expect(Object.keys(dialectErrors)).to.include(fault.code);
      expect(formatFault(fault)).not.to.match(/secret|SELEC|INSERT|nowhere|77/);
      expect(fault.options.retryable ?? false).to.equal(false);
    });
  }

  it('names the word of the statement that an error is about', async () => {
    for (const [sql, text, nth] of [
      ['SELECT id FROM nowhere WHERE id = $1', 'nowhere', 0],
      ['SELECT id, name FROM child c WHERE c.id = $1 OR c.emial IS NULL', 'emial', 0],
      ['SELECT count(*) AS n FROM child WHERE nofunction(id) = $1', 'nofunction', 0],
      ['SELECT id FROM child WHERE id = $1 ORDER BY id FROM parent', 'from', 1],
    ] as const) {
      const { options } = await catchFault(run(sql, [1]));
      expect(options.word, sql).to.deep.equal({ text, nth });
    }
    for (const sql of ['INSERT INTO child (id, email) VALUES (2, $1)', 'SELECT id FROM child WHERE age / $1::int = 1'])
      expect((await catchFault(run(sql, [sql.startsWith('I') ? 'secret@x' : 'x']))).options.word).to.equal(undefined);
  });

  it('keeps values out of the cause, which is logged', async () => {
    for (const [, sql, values] of cases) {
      if (Object.hasOwn(differences, sql)) continue;
      const { cause } = (await catchFault(run(sql, values))).options;
      const text = cause instanceof Error ? JSON.stringify({ ...cause, message: cause.message }) : '';
      expect(text).not.to.match(/secret|=\(/);
    }
  });

  it('continues after errors', async () => {
    for (let i = 0; i < 30; i++) await catchFault(run('INSERT INTO child (id, email) VALUES (2, $1)', ['secret@x']));
    expect(await run('SELECT count(*) AS n FROM child')).to.deep.equal([{ n: 1 }]);
  });

  // Other databases cannot raise arbitrary errors; their error numbers have a separate test.
  const raises = postgresql ? it : () => undefined;
  raises('marks transactions that can be retried', async () => {
    const raiseState = (state: string): Promise<unknown> =>
      run(`DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${state}'; END $$`);
    for (const [state, code, status] of [
      ['40001', 'QRY_SERIALIZATION', 409],
      ['40P01', 'QRY_SERIALIZATION', 409],
      ['57014', 'QRY_TIMEOUT', 503],
      ['53300', 'QRY_UNAVAILABLE', 503],
      ['23P01', 'QRY_UNIQUE', 409],
      ['23503', 'QRY_FOREIGN_KEY', 409],
      ['22003', 'QRY_BAD_VALUE', 422],
      ['XX000', 'QRY_FAILED', 500],
    ] as const) {
      const fault = await catchFault(raiseState(state));
      expect(fault.code, state).to.equal(code);
      expect(dialectErrors[code].status, state).to.equal(status);
      expect(fault.options.headers?.['retry-after'], state).to.equal(status === 503 ? '1' : undefined);
      expect(fault.options.retryable ?? false, state).to.equal(/^(40|53)/.test(state));
    }
  });
}
