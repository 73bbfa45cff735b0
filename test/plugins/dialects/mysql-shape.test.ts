/**
 * A model on MySQL and MariaDB: column types, what does not fit, the statements of a migration; and connection options
 * for the driver.
 */
import { expect } from 'chai';
import type { ModelColumn } from '../../../contract/model.js';
import { writeMysqlDdl, quoteMysqlName } from '../../../plugins/dialects/mysql/ddl.js';
import { readMysqlOptions } from '../../../plugins/dialects/mysql/options.js';
import { getCollations, createTypeMapping } from '../../../plugins/dialects/mysql/type-mapping.js';
import type { TableChange } from '../../../plugins/dialects/shared/changes.js';
import type { KnownColumn, KnownTables } from '../../../plugins/dialects/shared/migration-types.js';
import { defineColumn, id, defineTable } from '../../contracts/dialect-support.js';
import { BY_LOCKS, SERIALIZABLE } from '../../../plugins/dialects/kind.js';

const COLLATIONS = getCollations(false);
const EXACT = 'CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin';
const createKnownColumn = (rest: Partial<KnownColumn>): KnownColumn => ({
  type: 'bigint',
  written: 'bigint',
  nullable: false,
  filled: false,
  length: null,
  collation: null,
  ...{ counted: false, generated: false, default: null, comment: null },
  ...rest,
});
const there = (rest: Partial<KnownColumn>): KnownTables =>
  new Map([
    [
      'o',
      {
        ...{ table: true, comment: null, indexes: [], constraints: [] },
        columns: new Map([['k', createKnownColumn(rest)]]),
      },
    ],
  ]);
const resolveType = (one: ModelColumn, tables: KnownTables = new Map(), ...others: ModelColumn[]): string =>
  createTypeMapping(tables, COLLATIONS).getType(defineTable('t', one, ...others), one);
const text = (rest: Partial<ModelColumn> = {}): ModelColumn => defineColumn('a', 'text', rest);
const REFERS = { references: { table: 'o', column: 'k' } };

describe('column types on MySQL', () => {
  it('have the collations of the server', () => {
    expect(COLLATIONS).to.deep.equal({ exact: 'utf8mb4_0900_bin', words: 'utf8mb4_0900_ai_ci' });
    expect(getCollations(true)).to.deep.equal({ exact: 'utf8mb4_nopad_bin', words: 'utf8mb4_unicode_520_nopad_ci' });
  });
  for (const [type, sql] of [
    ['integer', 'BIGINT'],
    ['float', 'DOUBLE'],
    ['boolean', 'TINYINT(1)'],
    ['timestamp', 'DATETIME(6)'],
    ['json', 'JSON'],
    ['text', `LONGTEXT ${EXACT}`],
  ] as const) {
    it(`${type} is ${sql}`, () => expect(resolveType(defineColumn('a', type))).to.equal(sql));
  }
  const pair = [text({ primaryKey: true }), defineColumn('b', 'text', { primaryKey: true })] as const;
  for (const [title, sql, one, ...others] of [
    ['a bound has space for one more character', `VARCHAR(21) ${EXACT}`, text({ maxLength: 20 })],
    ['the longest text in the row', `VARCHAR(1000) ${EXACT}`, text({ maxLength: 999 })],
    ['longer text outside the row', `LONGTEXT ${EXACT}`, text({ maxLength: 1000 })],
    ['a key without a bound', `VARCHAR(256) ${EXACT}`, text({ index: true })],
    ['a primary key', `VARCHAR(256) ${EXACT}`, text({ primaryKey: true })],
    ['a unique text', `VARCHAR(256) ${EXACT}`, text({ unique: true })],
    ['a key with a bound', `VARCHAR(501) ${EXACT}`, text({ index: true, maxLength: 500 })],
    ['a key with too large a bound', `VARCHAR(752) ${EXACT}`, text({ unique: true, maxLength: 5000 })],
    ['a key of two texts', `VARCHAR(376) ${EXACT}`, { ...pair[0], maxLength: 5000 }, pair[1]],
    ['a key of a text and a number', `VARCHAR(752) ${EXACT}`, { ...pair[0], maxLength: 5000 }, id],
    ['searched text', 'LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci', text({ search: true })],
    ['searched text in a key', `VARCHAR(256) ${EXACT}`, text({ search: true, index: true })],
  ] as const satisfies readonly (readonly [string, string, ModelColumn, ...ModelColumn[]])[]) {
    it(`${title}: ${sql}`, () => expect(resolveType(one, new Map(), ...others)).to.equal(sql));
  }
  it('divide the size of a key between texts that are unique together', () => {
    const one = text({ maxLength: 5000 });
    const pair = { ...defineTable('t', one, defineColumn('b', 'text'), id), uniques: [['a', 'b', 'id']] };
    expect(createTypeMapping(new Map(), COLLATIONS).getType(pair, one)).to.equal(`VARCHAR(376) ${EXACT}`);
  });
  for (const [written, type, sql] of [
    ['int', 'int', 'int'],
    ['int unsigned', 'int', 'int unsigned'],
    ['bigint', 'bigint', 'BIGINT'],
    ['bigint unsigned', 'bigint', 'BIGINT UNSIGNED'],
    ['decimal(10,0)', 'decimal', 'decimal(10,0)'],
    ['varchar(3)', 'varchar', 'BIGINT'],
  ] as const) {
    it(`a number that references ${written} is ${sql}`, () => {
      expect(resolveType(defineColumn('a', 'integer', REFERS), there({ written, type }))).to.equal(sql);
    });
  }
  it('a number that references a table that does not exist yet is like any other', () => {
    expect(resolveType(defineColumn('a', 'integer', REFERS))).to.equal('BIGINT');
  });
  it('a text that references another has its collation', () => {
    const latin = there({ type: 'varchar', collation: 'latin1_german1_ci' });
    expect(resolveType(text(REFERS), latin)).to.equal('VARCHAR(256) CHARACTER SET latin1 COLLATE latin1_german1_ci');
    expect(resolveType(text(REFERS))).to.equal(`VARCHAR(256) ${EXACT}`);
  });
});

describe('MySQL columns that do not fit', () => {
  const misfit = (one: ModelColumn, rest: Partial<KnownColumn>) =>
    createTypeMapping(new Map(), COLLATIONS).findMisfit(defineTable('t', one), one, createKnownColumn(rest));

  for (const [type, fitting] of Object.entries({
    integer: 'bigint int mediumint smallint tinyint decimal',
    float: 'double float decimal',
    text: 'varchar char text mediumtext longtext tinytext uuid enum',
    boolean: 'boolean tinyint',
    timestamp: 'datetime timestamp date',
    json: 'json longtext',
  })) {
    it(`${type} fits ${fitting} and nothing else`, () => {
      const all = 'bigint int decimal double varchar longtext uuid boolean tinyint datetime date json blob'.split(' ');
      const fits = fitting.split(' ');
      const one = defineColumn('a', type as ModelColumn['type']);
      for (const name of fits) expect(misfit(one, { type: name, written: name }), name).to.equal(null);
      for (const name of all.filter((other) => !fits.includes(other))) {
        expect(misfit(one, { type: name, written: name }), name).to.deep.equal({
          message: `column has type ${name}, the model says ${type}`,
          blocks: 'all',
          serious: true,
        });
      }
    });
  }

  const exact = 'utf8mb4_0900_bin';
  const other = 'column has collation x_ci, by which different texts may count as equal';
  const letters = 'column has collation x_bin, by which words are found in their very letters alone';
  for (const [title, one, rest, message, blocks, serious] of [
    ['text in no key may be long', text(), { type: 'longtext', collation: exact }, null],
    [
      'text in a key may not',
      text({ index: true }),
      { type: 'text', written: 'text' },
      'column has type text, which no key or index can hold',
      'all',
      true,
    ],
    ['a uuid in a key may', text({ index: true }), { type: 'uuid' }, null],
    ['fixed text in a key may', text({ index: true }), { type: 'char', length: 255, collation: exact }, null],
    ['an enum in a key may', text({ index: true }), { type: 'enum', collation: exact }, null],
    [
      'a shorter column',
      text({ maxLength: 20 }),
      { type: 'varchar', length: 19 },
      'column takes 19 characters, the model says 20',
      'nothing',
      true,
    ],
    ['a column of the same length', text({ maxLength: 20 }), { type: 'varchar', length: 20, collation: exact }, null],
    [
      'a bound that is not in the model',
      text(),
      { type: 'varchar', length: 20 },
      'column takes 20 characters, the model says no bound',
      'nothing',
      true,
    ],
    [
      'a short key',
      text({ index: true }),
      { type: 'varchar', length: 254 },
      'column takes 254 characters, the model gets 255',
      'nothing',
      true,
    ],
    ['a key of the default length', text({ index: true }), { type: 'varchar', length: 255, collation: exact }, null],
    ['another collation', text(), { type: 'text', collation: 'x_ci' }, other, 'references', false],
    ['searched text that ignores case', text({ search: true }), { type: 'text', collation: 'x_ci' }, null],
    [
      'searched text that does not ignore case',
      text({ search: true }),
      { type: 'text', collation: 'x_bin' },
      letters,
      'references',
      false,
    ],
    [
      'searched text in a key',
      text({ search: true, index: true }),
      { type: 'varchar', length: 255, collation: 'x_ci' },
      other,
      'references',
      false,
    ],
  ] as const satisfies readonly (readonly [
    string,
    ModelColumn,
    Partial<KnownColumn>,
    string | null,
    string?,
    boolean?,
  ])[]) {
    it(`${title}: ${message ?? 'fits'}`, () => {
      expect(misfit(one, rest)).to.deep.equal(message === null ? null : { message, blocks, serious });
    });
  }

  it('have no index for JSON, and full-text indexes for text only', () => {
    const shape = createTypeMapping(new Map(), COLLATIONS);
    const cannot = (...[one, what]: Parameters<typeof shape.explainUnsupported>) => shape.explainUnsupported(one, what);
    const json = defineColumn('a', 'json');
    expect(cannot(json, 'unique')).to.equal('this database has no index for JSON: values may repeat');
    expect(cannot(json, 'index')).to.equal('this database has no index for JSON: none is made');
    expect(cannot(json, 'search')).to.equal('this database has no search index for JSON: none is made');
    expect(cannot(id, 'search')).to.equal('this database searches for words in text alone: no index is made');
    expect([cannot(id, 'index'), cannot(id, 'unique'), cannot(text(), 'search')]).to.deep.equal([null, null, null]);
  });
  it('have a length check for text only', () => {
    const shape = createTypeMapping(new Map(), COLLATIONS);
    const bounds = [
      text({ maxLength: 7 }),
      text(),
      text({ index: true }),
      defineColumn('a', 'integer', { maxLength: 7 }),
    ];
    expect(bounds.map((one) => shape.getLengthLimit(defineTable('t', one), one))).to.deep.equal([7, null, 255, null]);
  });
});

describe('table changes in the SQL of MySQL', () => {
  const writeChange = (change: TableChange): string | undefined => writeMysqlDdl([change], 'c')[0]?.sql;
  const a = { column: defineColumn('a', 'integer', { nullable: true }), type: 'INT' };
  const named = { table: 't', column: 'a', name: 'n' };
  for (const [change, sql] of [
    [{ change: 'add-column', table: 't', ...a }, 'ADD COLUMN `a` INT NULL'],
    [
      { change: 'add-column', table: 't', column: { ...id, name: 'n' }, type: 'BIGINT' },
      'ADD COLUMN `n` BIGINT NOT NULL AUTO_INCREMENT UNIQUE',
    ],
    [{ change: 'add-index', ...named }, 'ADD INDEX `n` (`a`)'],
    [{ change: 'add-unique', ...named, columns: ['a', 'b`'] }, 'ADD UNIQUE INDEX `n` (`a`, `b```)'],
    [{ change: 'add-search', ...named }, 'ADD FULLTEXT INDEX `n` (`a`)'],
    [{ change: 'add-length', ...named, length: 7 }, 'ADD CONSTRAINT `n` CHECK (char_length(`a`) <= 7)'],
    [
      { change: 'add-foreign', ...named, target: { table: 'u', column: 'k' } },
      'ADD CONSTRAINT `n` FOREIGN KEY (`a`) REFERENCES `u` (`k`)',
    ],
    [
      { change: 'set-type', table: 't', from: 'x', exact: true, nullable: false, ...a },
      'MODIFY COLUMN `a` INT NOT NULL',
    ],
    [
      { change: 'set-nullable', table: 't', nullable: true, column: id, type: 'INT' },
      'MODIFY COLUMN `id` INT NOT NULL AUTO_INCREMENT',
    ],
    [{ change: 'set-nullable', table: 't', nullable: true, ...a }, 'MODIFY COLUMN `a` INT NULL'],
    [{ change: 'drop-unique', constraint: true, ...named }, 'DROP INDEX `n`'],
    [{ change: 'drop-foreign', ...named }, 'DROP FOREIGN KEY `n`'],
    [{ change: 'drop-length', ...named }, 'DROP CONSTRAINT `n`'],
    [{ change: 'drop-column', table: 't', column: 'a' }, 'DROP COLUMN `a`'],
  ] as const satisfies readonly (readonly [TableChange, string])[]) {
    it(sql, () => expect(writeChange(change)).to.equal(`ALTER TABLE \`t\` ${sql}`));
  }
  it('a table is created with its key; a counter that is not first in it gets its own', () => {
    const create = (...columns: ModelColumn[]) =>
      writeChange({ change: 'create-table', table: 't', columns: columns.map((one) => ({ column: one, type: 'X' })) });
    const key = (name: string, rest = {}) =>
      defineColumn(name, 'integer', { primaryKey: true, nullable: true, ...rest });
    const end = 'ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE c';
    expect(create(id, a.column)).to.equal(
      `CREATE TABLE \`t\` (\`id\` X NOT NULL AUTO_INCREMENT, \`a\` X NULL, PRIMARY KEY (\`id\`)) ${end}`,
    );
    expect(create(key('a'), key('b', { autoIncrement: true }))).to.equal(
      `CREATE TABLE \`t\` (\`a\` X NOT NULL, \`b\` X NOT NULL AUTO_INCREMENT UNIQUE, PRIMARY KEY (\`a\`, \`b\`)) ${end}`,
    );
    expect(create(defineColumn('a', 'text', { autoIncrement: true }))).to.equal(
      `CREATE TABLE \`t\` (\`a\` X NOT NULL) ${end}`,
    );
    expect(quoteMysqlName('a`b')).to.equal('`a``b`');
  });
});

describe('options of a MySQL connection', () => {
  const readClientOptions = (url: unknown) => readMysqlOptions({ url })?.client;
  for (const [url, address] of [
    ['mysql://u@h/d', { host: 'h', port: 3306, user: 'u', password: '', database: 'd' }],
    ['mariadb://u%40:p%2F@h:3307/d%20e', { host: 'h', port: 3307, user: 'u@', password: 'p/', database: 'd e' }],
    ['mysql://u@[::1]:1/d', { host: '::1', port: 1, user: 'u', password: '', database: 'd' }],
    ['mysql://u@h/d?charset=x', { host: 'h' }],
  ] as const) {
    it(url, () => {
      expect(readClientOptions(url)).to.include(address);
      expect(readClientOptions(url)).not.to.have.property('ssl');
    });
  }
  for (const [asked, ssl] of [
    ['ssl=true', { rejectUnauthorized: true }],
    ['sslmode=require', { rejectUnauthorized: true }],
    ['sslmode=no-verify', { rejectUnauthorized: false }],
    ['ssl=falsely', { rejectUnauthorized: true }],
    ['ssl=false', undefined],
    ['ssl=0', undefined],
    ['ssl=10', { rejectUnauthorized: true }],
    ['sslmode=disable', undefined],
    ['sslmode=disabled', undefined],
    ['ssl=false&sslmode=require', undefined],
  ] as const) {
    it(asked, () => expect(readClientOptions(`mysql://u@h/d?${asked}`)?.ssl).to.deep.equal(ssl));
  }
  for (const url of [
    'postgres://h/d',
    'xmysql://h/d',
    'mysql://h',
    'mysql://h/',
    'mysql:///d',
    'mysql://h:port/d',
    7,
    undefined,
  ]) {
    it(`${url} is not a valid URL`, () => expect(readMysqlOptions({ url })).to.equal(null));
  }

  it('are in seconds in the config', () => {
    const url = 'mysql://u@h/d';
    expect(readMysqlOptions({ url })).to.include({ pool: 10, poolWait: 2000, idle: 30_000, deadline: 10_000 });
    const read = readMysqlOptions({ url, pool_size: 3, pool_wait: 5, idle_timeout: 7, statement_timeout: 0.5 });
    expect(read).to.include({ pool: 3, poolWait: 5000, idle: 7000, deadline: 500 });
    expect([read?.client.connectTimeout, readMysqlOptions({ url, pool_wait: 1 })?.client.connectTimeout]).to.deep.equal(
      [5000, 2000],
    );
  });
  it('set the isolation level of a transaction, or that of the config', () => {
    const levels = (rest: object) =>
      [SERIALIZABLE, BY_LOCKS].map((need) => readMysqlOptions({ url: 'mysql://u@h/d', ...rest })?.isolation(need));
    expect(levels({})).to.deep.equal(['serializable', 'read committed']);
    expect(levels({ isolation: 'auto' })).to.deep.equal(['serializable', 'read committed']);
    expect(levels({ isolation: 'repeatable read' })).to.deep.equal(['repeatable read', 'repeatable read']);
  });
  it('return text, and read no file of the client', () => {
    const client = readClientOptions('mysql://u@h/d');
    expect(client).to.include({
      charset: 'UTF8MB4_BIN',
      timezone: 'Z',
      dateStrings: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      jsonStrings: true,
      rowsAsArray: true,
      multipleStatements: false,
      maxPreparedStatements: 500,
    });
    expect(client?.flags).to.deep.equal(['-FOUND_ROWS', '-LOCAL_FILES', '-IGNORE_SPACE']);
    expect(() => client?.infileStreamFactory?.('x')).to.throw('LOCAL INFILE is refused');
  });
});
