/**
 * Requests behave as if they ran one after another, also where the database uses tables that no statement names: by its
 * functions, its views and its triggers. On PostgreSQL, with default settings. Each function waits where another
 * request could interfere.
 */
import { expect } from 'chai';
import mysql from 'mysql2/promise';
import pg from 'pg';
import type { Loose } from '../support/client.js';
import { createDatabase, SQL } from '../support/databases.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { skipTest } from '../support/skip.js';

const G = '$PAYLOAD.g';
const step = (id: number, query: string, parameters: readonly unknown[], rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query, parameters },
  ...rest,
});
const chain = (id: string, ...actionables: readonly object[]): object => ({ id, resource: id, actionables });
const few = {
  depends_on: [{ resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'n', for: 'n' }] }],
};
const NEW = '$GENERATOR.ULID';

/** Two requests at the same time, in each of these rooms. */
const ROOMS = ['a', 'b', 'c'];

const FILES = {
  'definitions/models.json': ['_seat', '_log', '_guest', '_door'].map((name) => ({
    [name]: { id: { type: 'String', primary_key: true }, room: { type: 'String' }, n: { type: 'Number' } },
  })),
  'definitions/resources.json': [
    chain('book', step(1, 'SELECT book($1, $2) AS made', [NEW, G])),
    chain('number', step(1, 'INSERT INTO _seat (id, room) VALUES (taken($1) || $1, $1)', [G])),
    // The number of rows, by a view; the other one reads what this writes, and only locks what it reads.
    chain(
      'close',
      step(1, 'SELECT count(*) AS n, pg_sleep(0.02)::text FROM log_view WHERE room = $1', [G]),
      step(2, 'UPDATE _door SET n = $2::bigint + 1 WHERE id = $1', [G, 'n'], few),
    ),
    chain(
      'enter',
      step(1, 'SELECT n FROM _door WHERE id = $1', [G]),
      step(2, 'INSERT INTO _log (id, room, n) VALUES ($1, $2, $3)', [NEW, G, 'n'], few),
    ),
    // One statement on one row, after which a trigger counts and writes.
    chain('guest', step(1, 'INSERT INTO _guest (id, room) VALUES ($1, $2)', [NEW, G])),
    chain('ticket', step(1, "SELECT nextval('tickets') AS n, count(*) AS seats FROM _seat", [])),
  ],
};

const OBJECTS = `
  CREATE TABLE _seat (id text PRIMARY KEY, room text, n bigint);
  CREATE TABLE _log (id text PRIMARY KEY, room text, n bigint);
  CREATE TABLE _guest (id text PRIMARY KEY, room text, n bigint);
  CREATE TABLE _door (id text PRIMARY KEY, room text, n bigint);
  INSERT INTO _door VALUES ${ROOMS.map((room) => `('close ${room}', '', 0)`).join(', ')};
  CREATE VIEW log_view AS SELECT * FROM _log;
  CREATE SEQUENCE tickets;
  CREATE FUNCTION slowly() RETURNS int LANGUAGE sql AS 'SELECT 1 FROM pg_sleep(0.02)';
  CREATE FUNCTION taken(r text) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE n bigint := (SELECT count(*) FROM _seat WHERE room = r);
    BEGIN PERFORM slowly(); RETURN n; END $$;
  CREATE FUNCTION book(i text, r text) RETURNS bigint LANGUAGE plpgsql AS $$
    BEGIN IF taken(r) = 0 THEN INSERT INTO _seat VALUES (i, r); RETURN 1; END IF; RETURN 0; END $$;`;
const TRIGGERS = `
  CREATE FUNCTION welcome() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (SELECT 1 FROM _log WHERE room = NEW.room) THEN
        PERFORM slowly(); INSERT INTO _log VALUES (NEW.id, NEW.room);
      END IF;
      RETURN NEW;
    END $$;
  CREATE TRIGGER welcome BEFORE INSERT ON _guest FOR EACH ROW EXECUTE FUNCTION welcome();`;
/** Sets a column, and uses nothing else; a trigger that reads another table is disabled. */
const HARMLESS = `
  CREATE FUNCTION tidy() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF (TG_OP = 'UPDATE') THEN NEW.room := lower(NEW.room); END IF; RETURN NEW; END $$;
  CREATE TRIGGER tidy BEFORE INSERT OR UPDATE ON _seat FOR EACH ROW EXECUTE FUNCTION tidy();
  CREATE FUNCTION idle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM 1 FROM _log; RETURN NEW; END $$;
  CREATE TRIGGER idle BEFORE INSERT ON _seat FOR EACH ROW EXECUTE FUNCTION idle();
  ALTER TABLE _seat DISABLE TRIGGER idle;`;

for (const [title, objects, isTriggered] of [
  ['functions and views of the database', HARMLESS, false],
  ['triggers of the database', TRIGGERS, true],
] as const) {
  describe(title, () => {
    let kernel: TestKernel;
    let client: pg.Client;
    before(async function () {
      const place = await createDatabase(SQL.find(({ name }) => name === 'postgres')!);
      if ('skip' in place) return skipTest(this, place.skip);
      client = new pg.Client(place.env['DATABASE']);
      await client.connect();
      await client.query(OBJECTS + objects);
      kernel = await startKernel({ files: FILES, env: place.env, config: { ...place.config } });
    });
    after(async () => {
      await client?.end();
      await kernel?.close();
    });

    async function race(...paths: readonly string[]): Promise<void> {
      const answers = await Promise.all(
        ROOMS.flatMap((room) => paths.map((path) => kernel.post(`/${path}`, { g: `${paths[0]} ${room}` }))),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200));
    }
    const rowsIn = async (table: string, path: string): Promise<number> =>
      (await client.query(`SELECT 1 FROM ${table} WHERE room LIKE '${path} %'`)).rows.length;

    if (isTriggered) {
      it('keep the count of a trigger correct when it writes', async () => {
        await race('guest', 'guest');
        expect(await rowsIn('_guest', 'guest')).to.equal(2 * ROOMS.length);
        expect(await rowsIn('_log', 'guest')).to.equal(ROOMS.length);
      });

      it('log those that use tables, and the plan shows the isolation', () => {
        const rows = kernel.log.filter(({ message }) => message.startsWith('triggers found'));
        expect(rows.map(({ fields }) => fields)).to.deep.equal([{ store: 'main', triggers: ['welcome on _guest'] }]);
        expect(JSON.stringify(kernel.kernel.plans().byId.get('guest')?.summary.describe)).to.contain('"serializable"');
      });
      return;
    }

    it('make a function that counts and writes atomic', async () => {
      await race('book', 'book');
      expect(await rowsIn('_seat', 'book')).to.equal(ROOMS.length);
    });

    it('let a function in an insert read the writes of the other request', async () => {
      await race('number', 'number');
      expect(await rowsIn('_seat', 'number')).to.equal(2 * ROOMS.length);
    });

    it('keep rows that are read through a view until the request has written', async () => {
      await race('close', 'enter');
      const { rows } = await client.query<{ seats: string; seen: string }>(
        'SELECT d.n AS seats, s.n AS seen FROM _door d JOIN _log s ON s.room = d.id',
      );
      // In either order: the first has not read the other one's row, which has read the first's.
      expect(rows.map(({ seats, seen }) => Number(seats) - 1 + Number(seen))).to.deep.equal(ROOMS.map(() => 1));
    });

    it('let a statement that reads watched tables use a number', async () => {
      expect((await kernel.post('/ticket', {})).body).to.have.property('n', 1);
    });

    it('change nothing by a trigger that sets a column of its row', () => {
      expect(kernel.log.filter(({ message }) => message.startsWith('triggers found'))).to.deep.equal([]);
    });
  });
}

/** Objects that use tables without being in a statement, each created by a script of the project at the same start. */
const MADE: readonly (readonly [name: string, sql: string])[] = [
  ['welcome on _guest', TRIGGERS],
  [
    'policy own on _seat',
    'ALTER TABLE _seat ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON _seat USING (EXISTS (SELECT 1 FROM _log WHERE room = id))',
  ],
  ['default of n on _seat', "ALTER TABLE _seat ALTER n SET DEFAULT taken('a')"],
  ['check few on _seat', 'ALTER TABLE _seat ADD CONSTRAINT few CHECK (taken(room) < 9)'],
  ['rule also on _log', 'CREATE RULE also AS ON INSERT TO _log DO ALSO UPDATE _door SET n = n + 1'],
  [
    'operator ===',
    "CREATE FUNCTION same(a text, b text) RETURNS boolean LANGUAGE sql AS 'SELECT count(*) > 0 FROM _seat WHERE room = a AND id = b'; " +
      'CREATE OPERATOR === (LEFTARG = text, RIGHTARG = text, FUNCTION = same)',
  ],
];

describe('hidden uses of tables, created by a script of the project or after the start', () => {
  const MODELS = { 'definitions/models.json': FILES['definitions/models.json'] };
  const GUEST = {
    'definitions/a.json': [chain('guest', step(1, 'INSERT INTO _guest (id, room) VALUES ($1, $2)', [NEW, G]))],
  };
  const FUNCTION = OBJECTS.slice(OBJECTS.indexOf('CREATE FUNCTION slowly'), OBJECTS.indexOf('CREATE FUNCTION book'));
  const listLogged = ({ log }: TestKernel, text: string): unknown[] =>
    log.filter(({ message }) => message.startsWith(text)).map(({ fields }) => fields['triggers']);

  it('are detected at that start, and single statements are planned for it', async function () {
    const place = await createDatabase(SQL.find(({ name }) => name === 'postgres')!);
    if ('skip' in place) return skipTest(this, place.skip);
    const scripts = { 'migrations/1.sql': FUNCTION, 'migrations/2.sql': MADE.map(([, sql]) => sql).join(';\n') };
    const kernel = await startKernel({
      files: { ...MODELS, ...GUEST, ...scripts },
      env: place.env,
      config: place.config as Loose,
    });
    const [found] = listLogged(kernel, 'triggers found') as string[][];
    expect(found).to.have.members(MADE.map(([name]) => name));
    expect(JSON.stringify(kernel.kernel.plans().byId.get('guest')?.summary.describe)).to.contain('"serializable"');
    await kernel.close();
  });

  for (const name of ['postgres', 'mysql'] as const)
    it(`are a warning with the isolation, on ${name}, when they are created later`, async function () {
      const place = await createDatabase(SQL.find((one) => one.name === name)!);
      if ('skip' in place) return skipTest(this, place.skip);
      const kernel = await startKernel({
        files: { ...MODELS, ...GUEST },
        env: place.env,
        config: place.config as Loose,
      });
      const url = place.env['DATABASE'] ?? '';
      await (name === 'postgres' ? runPostgres(url, FUNCTION + TRIGGERS) : runMysql(url, MYSQL_TRIGGER));
      for (let i = 0; i < 2; i++) await kernel.kernel.health();
      expect(listLogged(kernel, 'triggers were made after the start')).to.deep.equal([['welcome on _guest']]);
      await kernel.close();
    });
});

const MYSQL_TRIGGER =
  'CREATE TRIGGER welcome BEFORE INSERT ON _guest FOR EACH ROW INSERT INTO _log (id, room, n) VALUES (NEW.id, NEW.room, 1)';

async function runPostgres(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(sql);
  await client.end();
}

async function runMysql(url: string, sql: string): Promise<void> {
  const connection = await mysql.createConnection(url);
  await connection.query(sql);
  await connection.end();
}
