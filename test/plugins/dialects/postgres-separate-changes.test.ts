/**
 * Changes of a PostgreSQL table in use: readers and writers continue, the lock of another session is awaited in short
 * periods, two processes change it once, and interrupted or rejected changes leave nothing.
 */
import { expect } from 'chai';
import pg from 'pg';
import runtime from '../../../plugins/dialects/postgres/runtime.js';
import { applySeparateChange, isLocked, retryWhileLocked } from '../../../plugins/dialects/shared/separate-changes.js';
import { createPostgresDatabase, startPostgres } from '../../support/postgres.js';
import { skipTest } from '../../support/skip.js';
import { startStopwatch } from '../../support/stopwatch.js';
import { waitUntil } from '../../support/until.js';
import { defineColumn, catchFault, id, defineTable, type OpenDialect } from '../../contracts/dialect-support.js';
import { openDialect } from '../../contracts/dialect-open.js';

const people = defineTable('people', id);
const letters = defineTable(
  'letters',
  id,
  defineColumn('text', 'text', { nullable: true }),
  defineColumn('by', 'integer', { nullable: true }),
);
const more = defineTable(
  'letters',
  id,
  defineColumn('text', 'text', { nullable: true, index: true, unique: true }),
  defineColumn('by', 'integer', { nullable: true, references: { table: 'people', column: 'id' } }),
  defineColumn('kind', 'text'),
);

describe('statement that meets a lock', () => {
  it('is retried after a pause, and not after another failure', async () => {
    const locked = Object.assign(new Error('locked'), { code: '55P03' });
    const at: number[] = [];
    const work = (failures: readonly Error[]) => (): Promise<string> => {
      const failure = failures[at.push(performance.now()) - 1];
      return failure === undefined ? Promise.resolve('done') : Promise.reject(failure);
    };
    expect(await retryWhileLocked(isLocked, work([locked]))).to.equal('done');
    const [first = 0, second = 0] = at.splice(0);
    // Timers of Node may be a millisecond early.
    expect(second - first).to.be.greaterThan(398);
    const other = new Error('no');
    expect(await retryWhileLocked(isLocked, work([other])).catch((error: unknown) => error)).to.equal(other);
    expect(at).to.have.length(1);
  });
});

describe('PostgreSQL table in use', function () {
  let one: OpenDialect;
  let two: OpenDialect;
  let busy: pg.Client;
  let other: pg.Client;
  const rows = async (sql: string): Promise<unknown[]> => (await other.query<Record<string, unknown>>(sql)).rows;
  const waits = async (): Promise<boolean> =>
    (
      await rows(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND state = 'active' AND wait_event_type = 'Lock'`)
    ).length > 0;
  const isIndexBuilt = async (): Promise<boolean> =>
    (await rows('SELECT 1 FROM pg_stat_progress_create_index')).length > 0;

  before(async function () {
    const found = await startPostgres();
    if ('skip' in found) return skipTest(this, found.skip);
    const url = await createPostgresDatabase();
    [one, two] = await Promise.all([openDialect(runtime, { url }), openDialect(runtime, { url })]);
    [busy, other] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([busy.connect(), other.connect()]);
  });
  beforeEach(async () => {
    await busy.query('ROLLBACK');
    await other.query('DROP TABLE IF EXISTS letters, people');
    await one.syncSchema([people, letters]);
    await other.query(
      'INSERT INTO people SELECT; INSERT INTO letters (text, by) SELECT n, 1 FROM generate_series(1, 50) n',
    );
  });
  after(async () => {
    await Promise.all([one?.close(), two?.close(), busy?.end(), other?.end()]);
  });

  it('gets a full-text index of an existing column', async () => {
    const [key, , by] = letters.columns;
    const searched = defineTable('letters', key!, defineColumn('text', 'text', { nullable: true, search: true }), by!);
    const { statements } = await one.syncSchema([people, searched]);
    expect(statements.filter((sql) => sql.includes('index concurrently'))).to.have.length(1);
    const made = await rows(
      "SELECT indexdef FROM pg_indexes WHERE tablename = 'letters' AND indexdef LIKE '%tsvector%'",
    );
    expect(made).to.have.length(1);
    expect((await one.plan([people, searched])).steps).to.deep.equal([]);
  });

  it('is read and written while an index is created that waits for an open transaction', async () => {
    await one.syncSchema([people, defineTable('letters', ...letters.columns, defineColumn('kind', 'text'))]);
    await busy.query('BEGIN; INSERT INTO letters (text) VALUES (51)');
    const adopted = one.syncSchema([people, more]);
    await waitUntil(waits, 'the migration waits');
    const elapsed = startStopwatch();
    await other.query("INSERT INTO letters (text) VALUES ('written meanwhile')");
    expect(await rows('SELECT count(*)::int AS n FROM letters')).to.deep.equal([{ n: 51 }]);
    expect(elapsed()).to.be.lessThan(800);
    await busy.query('COMMIT');
    const { statements } = await adopted;
    expect(statements.filter((sql) => sql.includes('index concurrently'))).to.have.length(1);
    expect(statements.filter((sql) => /not valid$|validate constraint/.test(sql))).to.have.length(2);
    expect((await one.plan([people, more])).steps).to.deep.equal([]);
    expect((await catchFault(one.handle.execute('INSERT INTO letters (by) VALUES (9)', [], null))).code).to.equal(
      'QRY_FOREIGN_KEY',
    );
  });

  it('waits for a lock in short periods, so that others can run, and then changes', async () => {
    await busy.query('BEGIN; SELECT 1 FROM letters');
    const adopted = one.syncSchema([people, more]);
    await waitUntil(waits, 'the migration waits');
    const elapsed = startStopwatch();
    await other.query('SELECT 1 FROM letters');
    expect(elapsed()).to.be.lessThan(2500);
    await busy.query('COMMIT');
    const { progress } = await adopted;
    expect(progress.map((text) => text.split(' ').slice(2, 6).join(' '))).to.include('letters add column kind');
    expect((await one.plan([people, more])).steps).to.deep.equal([]);
  });

  it('is changed although the server ends a deadlock with another session by cancelling the statement', async () => {
    await one.syncSchema([people, defineTable('letters', ...letters.columns, defineColumn('kind', 'text'))]);
    await busy.query("SET deadlock_timeout = '1min'; BEGIN; INSERT INTO letters (text) VALUES (51)");
    const adopted = one.syncSchema([people, more]);
    await waitUntil(async () => (await waits()) && (await isIndexBuilt()), 'an index waits for the open transaction');
    // The build holds its lock and waits for this session, which now waits for that lock.
    await busy.query('LOCK TABLE letters IN SHARE ROW EXCLUSIVE MODE');
    await busy.query('COMMIT; RESET deadlock_timeout');
    await adopted;
    expect((await one.plan([people, more])).steps).to.deep.equal([]);
    expect(await rows('SELECT 1 FROM pg_index WHERE NOT indisvalid')).to.deep.equal([]);
  });

  it('is changed once by two processes that start together', async () => {
    await Promise.all([one.syncSchema([people, more]), two.syncSchema([people, more])]);
    expect((await one.plan([people, more])).steps).to.deep.equal([]);
    expect(await rows('SELECT 1 FROM pg_index WHERE NOT indisvalid')).to.deep.equal([]);
    expect(await rows("SELECT 1 FROM pg_constraint WHERE contype = 'f' AND NOT convalidated")).to.deep.equal([]);
  });

  it('gets the index that a process left half created', async () => {
    await other.query("INSERT INTO letters (text) VALUES ('1')");
    const name = 'letters_text_unique';
    await other.query(`CREATE UNIQUE INDEX CONCURRENTLY ${name} ON letters (text)`).catch(() => undefined);
    expect(await rows('SELECT 1 FROM pg_index WHERE NOT indisvalid')).to.have.length(1);
    const rejected = await catchFault(one.syncSchema([people, more]));
    expect(rejected.code).to.equal('QRY_DUPLICATES');
    // A row that is inserted meanwhile: the half-built index is dropped again.
    const session = {
      query: async (sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> =>
        (await other.query<Record<string, unknown>>(sql, [...values])).rows,
    };
    const unique = {
      change: 'add-unique',
      table: 'letters',
      column: 'text',
      columns: ['text'],
      name,
      apart: true,
    } as const;
    const late = await applySeparateChange(session, unique, () => undefined).catch((error: unknown) => error);
    expect(late).to.have.property('code', '23505');
    expect(await rows(`SELECT 1 FROM pg_class WHERE relname = '${name}'`)).to.deep.equal([]);
    await other.query(`CREATE UNIQUE INDEX CONCURRENTLY ${name} ON letters (text)`).catch(() => undefined);
    await other.query("DELETE FROM letters WHERE text = '1' AND by IS NULL");
    await one.syncSchema([people, more]);
    expect(await rows('SELECT 1 FROM pg_index WHERE NOT indisvalid')).to.deep.equal([]);
    expect((await one.plan([people, more])).steps).to.deep.equal([]);
  });

  it('keeps no foreign key that its rows violate, and no check of a column that is not full', async () => {
    await other.query('UPDATE letters SET by = 7 WHERE id = 1');
    const rejected = await catchFault(one.syncSchema([people, more]));
    expect(rejected.code).to.equal('QRY_MIGRATION');
    expect(rejected.params['outcome']).to.equal('Nothing was changed.');
    expect(await rows("SELECT 1 FROM pg_class WHERE relname = 'letters_text_unique'")).to.deep.equal([]);
    expect(await rows("SELECT conname FROM pg_constraint WHERE contype = 'f'")).to.deep.equal([]);
    const full = defineTable('letters', id, defineColumn('text'), defineColumn('by', 'integer'));
    await other.query('UPDATE letters SET by = NULL WHERE id = 1');
    expect((await catchFault(one.syncSchema([people, full], true))).code).to.equal('QRY_MIGRATION');
    expect(
      await rows("SELECT conname FROM pg_constraint WHERE contype = 'c' AND conrelid = 'letters'::regclass"),
    ).to.deep.equal([]);
    await other.query('UPDATE letters SET by = 1');
    const { statements } = await one.syncSchema([people, full], true);
    expect(statements.filter((sql) => sql.includes('set not null'))).to.have.length.greaterThan(0);
    expect((await one.plan([people, full], true)).steps).to.deep.equal([]);
  });
});
