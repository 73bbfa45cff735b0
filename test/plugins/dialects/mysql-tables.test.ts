/** The catalogue of MySQL and MariaDB, as statements bind values by it and as migrations read it. */
import { expect } from 'chai';
import { readCatalogue } from '../../../plugins/dialects/mysql/catalogue.js';
import { introspectMysql } from '../../../plugins/dialects/mysql/introspect.js';
import type { ServerFlavour } from '../../../plugins/dialects/mysql/types.js';
import { id, defineTable } from '../../contracts/dialect-support.js';

/** Rows of `information_schema` for a table `t` with a key, a counter and a check. */
const SCHEMA: readonly (readonly [RegExp, readonly (readonly unknown[])[]])[] = [
  [
    /information_schema\.columns/,
    [
      ['t', 'ID', 'BIGINT', 'bigint unsigned', 'auto_increment'],
      ['t', 'n', 'int', 'int', ''],
      ['t', 's', 'varchar', 'varchar(9)', ''],
      ['t', 'b', 'tinyint', 'tinyint(1)', ''],
      ['t', 'j"x', 'longtext', 'longtext', ''],
    ],
  ],
  [
    /information_schema\.statistics/,
    [
      ['t', 'PRIMARY', Buffer.from('ID')],
      ['t', 't_n_s', 'n'],
      ['t', 't_n_s', 's'],
      ['gone', 'k', 'a'],
    ],
  ],
  [
    /check_constraints/,
    [
      ['t', 'json_valid(`j"x`)'],
      ['t', '`n` > 0'],
      ['t', 'json_valid(`n`) or 1'],
    ],
  ],
];

describe('MySQL catalogue', () => {
  const catalogue = (flavour: ServerFlavour) => {
    const run = (text: string) =>
      Promise.resolve({
        rows: SCHEMA.find(([pattern]) => pattern.test(text))?.[1] ?? null,
        fields: [],
        insertId: '0',
        affected: 0,
      });
    return readCatalogue({
      flavour,
      run,
      stream: () => Promise.reject(new Error('not streamed')),
      runCommand: () => Promise.resolve(),
      readWarnings: () => Promise.resolve([]),
    });
  };
  it('contains columns with their types, the counter, and keys with the primary one first', async () => {
    const known = (await catalogue('mysql')).get('t');
    expect([...(known?.columns ?? [])]).to.deep.equal([
      ['id', 'big'],
      ['n', 'int'],
      ['s', 'text'],
      ['b', 'boolean'],
      ['j"x', 'text'],
    ]);
    expect(known?.auto).to.equal('ID');
    expect(known?.keys).to.deep.equal([
      { name: 'PRIMARY', primary: true, columns: ['ID'] },
      { name: 't_n_s', primary: false, columns: ['n', 's'] },
    ]);
    expect((await catalogue('mysql')).has('gone')).to.equal(false);
  });
  it('recognizes JSON of MariaDB by a check only', async () => {
    const columns = (await catalogue('mariadb')).get('t')?.columns;
    expect([columns?.get('j"x'), columns?.get('n')]).to.deep.equal(['json', 'int']);
  });

  const rows = {
    'information_schema.tables': [
      { tbl: 't', kind: 'BASE TABLE' },
      { tbl: 'v', kind: 'VIEW' },
    ],
    'information_schema.columns': [
      {
        tbl: 't',
        col: 'id',
        type: 'bigint',
        written: 'bigint',
        nullable: 'NO',
        filled: 0,
        extra: 'auto_increment',
        chars: null,
        coll: null,
      },
      {
        tbl: 't',
        col: 's',
        type: 'varchar',
        written: 'varchar(9)',
        nullable: 'YES',
        filled: 1,
        given: "'new'",
        extra: '',
        chars: 9n,
        coll: Buffer.from('c'),
      },
      {
        tbl: 't',
        col: 'b',
        type: 'tinyint',
        written: 'tinyint(1)',
        nullable: 'yes',
        filled: '0',
        extra: 'STORED GENERATED',
        remark: Buffer.from('Computed'),
        chars: null,
        coll: '',
      },
      {
        tbl: 't',
        col: 'j',
        type: 'longtext',
        written: 'longtext',
        nullable: 'NO',
        filled: null,
        given: 'NULL',
        extra: null,
        chars: 99,
        coll: 'x',
      },
      {
        tbl: 'v',
        col: 'id',
        type: 'int',
        written: 'int',
        nullable: 'NO',
        filled: 0,
        extra: '',
        chars: null,
        coll: null,
      },
    ],
    'information_schema.statistics': [
      { tbl: 't', name: 'PRIMARY', many: 0, col: 'id', part: null, type: 'BTREE' },
      { tbl: 't', name: 'two', many: '1', col: 's', part: null, type: 'BTREE' },
      { tbl: 't', name: 'two', many: '1', col: 'b', part: null, type: 'BTREE' },
      { tbl: 't', name: 'part', many: 0, col: 's', part: 3, type: 'BTREE' },
      { tbl: 't', name: 'words', many: 1, col: 's', part: null, type: 'FULLTEXT' },
      { tbl: 't', name: 'made', many: 1, col: null, part: null, type: 'BTREE' },
    ],
    key_column_usage: [
      { tbl: 't', name: 'f', col: 's', target: 'u', targetCol: 'x', deleted: 'CASCADE', updated: 'NO ACTION' },
      { tbl: 't', name: 'f', col: 'b', target: 'u', targetCol: 'y', deleted: 'CASCADE', updated: 'NO ACTION' },
    ],
    check_constraints: [
      { tbl: 't', name: 'j', definition: ' (json_valid(`j`))' },
      { tbl: 't', name: 's', definition: 'x and json_valid(s)' },
    ],
  } as const;
  const session = {
    query: (text: string) =>
      Promise.resolve(
        Object.entries(rows)
          .filter(([from]) => text.includes(`${from} `) || text.includes(`${from}\n`) || text.includes(`.${from}`))
          .at(-1)?.[1] ?? ([] as never),
      ),
  } as const;

  it('contains columns, indexes, references and checks for a migration', async () => {
    const found = await introspectMysql(session, [defineTable('t', id), defineTable('v', id)], true);
    const t = found.get('t');
    expect([t?.table, found.get('v')?.table, found.get('v')?.columns.size]).to.deep.equal([true, false, 1]);
    const plain = { nullable: false, filled: true, length: null, collation: null, counted: false, generated: false };
    const none = { default: null, comment: null };
    expect([...(t?.columns ?? [])]).to.deep.equal([
      ['id', { ...plain, ...none, type: 'bigint', written: 'bigint', counted: true }],
      [
        's',
        {
          ...{ ...plain, ...none, type: 'varchar', written: 'varchar(9)', nullable: true, length: 9, collation: 'c' },
          default: "'new'",
        },
      ],
      [
        'b',
        {
          ...{ ...plain, ...none, type: 'boolean', written: 'tinyint(1)', nullable: true },
          ...{ generated: true, comment: 'Computed' },
        },
      ],
      ['j', { ...plain, ...none, type: 'json', written: 'longtext', filled: false, collation: 'x' }],
    ]);
    const index = (name: string, unique: boolean, columns: string[]) => ({
      name,
      unique,
      primary: name === 'PRIMARY',
      constraint: false,
      columns,
    });
    expect(t?.indexes).to.deep.equal([
      index('PRIMARY', true, ['id']),
      index('two', false, ['s', 'b']),
      index('part', true, []),
      index('words', false, []),
      index('made', false, []),
    ]);
    const check = { type: 'check', columns: [], target: null, targetColumns: [] };
    expect(t?.constraints).to.deep.equal([
      {
        ...{ name: 'f', type: 'foreign', columns: ['s', 'b'], target: 'u', targetColumns: ['x', 'y'] },
        definition: 'ON DELETE CASCADE ON UPDATE NO ACTION',
      },
      { ...check, name: 'j', definition: ' (json_valid(`j`))' },
      { ...check, name: 's', definition: 'x and json_valid(s)' },
    ]);
  });
  it('is not queried further by a migration without a table', async () => {
    let asked = 0;
    const none = { query: () => Promise.resolve((asked++, [])) };
    expect([(await introspectMysql(none, [defineTable('t', id)], false)).size, asked]).to.deep.equal([0, 1]);
  });
});
