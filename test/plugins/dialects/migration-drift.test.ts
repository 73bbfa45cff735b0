/**
 * Differences between a table and its model, without a database, and changes on request: types, NULL, bounds, foreign
 * keys, unique indexes and columns that are not in the model.
 */
import { expect } from 'chai';
import type { ColumnType, ModelTable } from '../../../contract/model.js';
import type { KnownTable } from '../../../plugins/dialects/shared/migration-types.js';
import { planMigration } from '../../../plugins/dialects/shared/plan.js';
import { defineColumn, id, defineTable } from '../../contracts/dialect-support.js';
import {
  createCheckConstraint,
  createForeignKey,
  createKnownIndex,
  createKnownTable,
  LEFT,
  listPlannedChanges,
  createShape,
  createKnownColumn,
} from '../../contracts/plan-support.js';

const FIXES = '`lintel migrate --destroy`';

/** The report, and the change made instead. */
const planBoth = (model: ModelTable, now: KnownTable, others: readonly ModelTable[] = []): [string[], string[]] => [
  listPlannedChanges(model, now, { others }),
  listPlannedChanges(model, now, { others, destroy: true }),
];

describe('different column types', () => {
  const NAMES: Readonly<Record<string, ColumnType | null>> = {
    ...names('integer', 'int int2 int4 int8 bigint smallint mediumint tinyint'),
    ...names('float', 'float float4 float8 double numeric decimal'),
    ...names('boolean', 'bool boolean'),
    ...names('timestamp', 'timestamp timestamptz date datetime'),
    ...names('json', 'json jsonb'),
    ...names('text', 'text varchar bpchar char citext uuid name enum longtext mood_enum'),
    // Types that merely begin or end like those, and arrays.
    ...names(null, 'interval int4range jsonpath geojson daterange bytea point numrange xint4 xbool xdate _text _int4'),
    ...names(null, 'pfloat8 timestamps date_ bools float9'),
  };
  const TO: Readonly<Record<ColumnType, string>> = {
    integer: 'integer float text boolean',
    float: 'integer float text',
    text: 'integer float text boolean timestamp json',
    boolean: 'integer text boolean',
    timestamp: 'text timestamp',
    json: 'text json',
  };
  const EXACT =
    'integer>text float>text boolean>integer boolean>text boolean>boolean timestamp>text json>text json>json';
  const ALL = Object.keys(TO) as ColumnType[];

  for (const [name, family] of Object.entries(NAMES)) {
    it(`${name} is changed to ${family === null ? 'nothing' : TO[family]}`, () => {
      const found = ALL.flatMap((type) => {
        const now = createKnownTable({ a: createKnownColumn(name, { nullable: type === 'json' }) });
        const model = defineTable('t', defineColumn('a', type, { nullable: type === 'json' }));
        const other = {
          ...createShape(),
          findMisfit: () => ({ message: 'is otherwise', blocks: 'all', serious: true }) as const,
        };
        const { changes, warnings } = planMigration([model], new Map([['t', now]]), other, true);
        const [change] = changes;
        if (change === undefined) {
          const warning = 'no cast is certain: add a column of another name and fill it by hand';
          expect(warnings).to.deep.equal([
            { table: 't', column: 'a', message: `is otherwise; ${warning}`, serious: true },
          ]);
          return [];
        }
        const exact = EXACT.split(' ').includes(`${family}>${type}`);
        expect(changes).to.deep.equal([
          {
            ...{ change: 'set-type', table: 't', column: model.columns[0], type: type.toUpperCase() },
            ...{ from: `${name}(9)`, exact, nullable: type === 'json' },
          },
        ]);
        expect(warnings).to.deep.equal([]);
        return [type];
      });
      expect(found.join(' ')).to.equal(
        family === null ? '' : ALL.filter((type) => TO[family].split(' ').includes(type)).join(' '),
      );
    });
  }

  function names(type: ColumnType | null, list: string): Record<string, ColumnType | null> {
    return Object.fromEntries(list.split(' ').map((name) => [name, type]));
  }

  it('are reported with the change, and its severity', () => {
    const now = createKnownTable({ a: createKnownColumn('int4') });
    const at = (serious: boolean, type: ColumnType): string[] =>
      listPlannedChanges(defineTable('t', defineColumn('a', type)), now, { shape: createShape({ serious }) });
    expect(at(true, 'text')).to.deep.equal([`! a: is otherwise; ${LEFT}; ${FIXES} changes the type`]);
    expect(at(false, 'text')).to.deep.equal([`? a: is otherwise; ${LEFT}; ${FIXES} changes the type`]);
    expect(at(false, 'json'), 'without a way').to.deep.equal([`! a: is otherwise; ${LEFT}`]);
  });
});

describe('different NULL constraints', () => {
  const required = `? a: is required in the model, and the table allows NULL; ${FIXES} forbids it`;
  const optional = `! a: is optional in the model, and the table demands a value; ${FIXES} allows NULL`;
  for (const [model, table_, reported, done] of [
    [false, true, [required], ['- forbid null a']],
    [true, false, [optional], ['- allow null a']],
    [true, true, [], []],
    [false, false, [], []],
  ] as const) {
    it(`${model ? 'optional' : 'required'} in the model, ${table_ ? 'optional' : 'required'} in the table`, () => {
      const now = createKnownTable({ a: createKnownColumn('text', { nullable: table_ }) });
      expect(planBoth(defineTable('t', defineColumn('a', 'text', { nullable: model })), now)).to.deep.equal([
        reported,
        done,
      ]);
    });
  }

  it('are ignored for keys and counters', () => {
    for (const [nullable, rest] of [
      [true, { primaryKey: true }],
      [false, { primaryKey: true, nullable: true }],
      [true, { autoIncrement: true }],
      [false, { autoIncrement: true, nullable: true }],
    ] as const) {
      const now = createKnownTable({ a: createKnownColumn('integer', { nullable }) });
      expect(planBoth(defineTable('t', defineColumn('a', 'integer', rest)), now)).to.deep.equal([[], []]);
    }
  });

  it('are changed together with the type of the column', () => {
    const { changes } = planMigration(
      [defineTable('t', defineColumn('a'))],
      new Map([['t', createKnownTable({ a: createKnownColumn('text', { nullable: true }) })]]),
      createShape(),
      true,
    );
    expect(changes).to.deep.equal([
      { change: 'set-nullable', table: 't', column: defineColumn('a'), type: 'TEXT', nullable: false },
    ]);
  });
});

describe('different bounds', () => {
  const at = (maxLength: number | null, definition: string): [string[], string[]] =>
    planBoth(
      defineTable('t', defineColumn('a', 'text', { maxLength })),
      createKnownTable(
        { a: createKnownColumn('text') },
        { constraints: [createCheckConstraint('mine', 'x'), createCheckConstraint('t_a_length', definition)] },
      ),
    );
  const formatWarning = (what: string): string =>
    `! a: the length check t_a_length holds another bound ${what}; ${LEFT}; ${FIXES} replaces it`;
  const drop = '- drop check a (t_a_length)';
  const formatAddedCheck = (length: number): string => `+ add check a: at most ${length} characters as t_a_length`;

  it('are read in the format of each database', () => {
    for (const definition of ['(char_length(a) <= 20)', "(a <= '20'::int)", '(length(a) <= (20))', "(a <= ('20'))"])
      expect(at(20, definition), definition).to.deep.equal([[], []]);
  });
  for (const [length, definition] of [
    [30, '(char_length(a) <= 20)'],
    [2, '(char_length(a) <= 20)'],
    [20, '(char_length(a) < 20)'],
    [20, 'whatever'],
  ] as const) {
    it(`${length} characters, and ${definition}`, () =>
      expect(at(length, definition)).to.deep.equal([
        [formatWarning(`than max_length ${length}`)],
        [drop, formatAddedCheck(length)],
      ]));
  }
  it('are dropped if the model has none', () => {
    expect(at(null, '(char_length(a) <= 20)')).to.deep.equal([[formatWarning('the model has none')], [drop]]);
  });
});

describe('different foreign keys', () => {
  const others = [defineTable('o', id), defineTable('p', id)];
  const refers = (name: string): ModelTable =>
    defineTable(
      't',
      defineColumn('a', 'integer', { references: { table: name, column: 'id' } }),
      defineColumn('b', 'integer'),
    );
  const now = (...constraints: ReturnType<typeof createForeignKey>[]): KnownTable =>
    createKnownTable({ a: createKnownColumn('integer'), b: createKnownColumn('integer') }, { constraints });
  const formatForeignKeyWarning = (at: string, target: string, model: string, does: string): string =>
    `! ${at}: foreign key refers to ${target}, the model says ${model}; ${LEFT}; ${FIXES} ${does} it`;
  const fresh = '+ add foreign key a -> o.id as t_a_foreign';

  it('are accepted under any name if they refer to the table of the model', () => {
    expect(planBoth(refers('o'), now(createForeignKey('f', ['a'], 'o')), others)).to.deep.equal([[], []]);
  });
  it('to another table', () => {
    const [left, done] = planBoth(refers('o'), now(createForeignKey('f', ['a'], 'p')), others);
    expect(left).to.deep.equal([formatForeignKeyWarning('a', 'p', 'o', 'replaces')]);
    expect(done).to.deep.equal(['- drop foreign key a (f)', fresh]);
  });
  it('to a table that the database does not name', () => {
    const [left] = planBoth(refers('o'), now(createForeignKey('f', ['a'], null)), others);
    expect(left).to.deep.equal([formatForeignKeyWarning('a', 'another table', 'o', 'replaces')]);
  });
  it('of a column without a reference, or with one to another connection', () => {
    for (const [model, at] of [
      [refers('o'), 'b'],
      [refers('away'), 'a'],
      [refers('away'), ''],
    ] as const) {
      const columns = at === '' ? [] : [at];
      const [left, done] = planBoth(
        model,
        now(createForeignKey('f', columns, 'o'), createForeignKey('g', ['a'], 'o')),
        others,
      );
      expect(left[0]).to.equal(formatForeignKeyWarning(at, 'o', 'nothing of it', 'drops'));
      expect(done[0]).to.equal(`- drop foreign key ${at} (f)`);
      expect(done).to.have.length(model.columns[0]?.references?.table === 'o' ? 1 : 2);
    }
  });
  it('of several columns', () => {
    const [left, done] = planBoth(
      refers('o'),
      now(createForeignKey('f', ['a', 'b'], 'o'), createForeignKey('g', ['a'], 'o')),
      others,
    );
    expect(left).to.deep.equal([formatForeignKeyWarning('a, b', 'o', 'o', 'replaces')]);
    expect(done).to.deep.equal(['- drop foreign key a, b (f)']);
  });
  it('are not check constraints', () => {
    expect(
      planBoth(
        refers('o'),
        now({ ...createForeignKey('f', ['b'], 'p'), type: 'other' }, createForeignKey('g', ['a'], 'o')),
        others,
      ),
    ).to.deep.equal([[], []]);
  });
});

describe('unique indexes that are not in the model', () => {
  const model = { ...defineTable('t', id, defineColumn('a'), defineColumn('b')), uniques: [['b', 'a']] };
  const columns = {
    id: createKnownColumn('integer'),
    a: createKnownColumn('text'),
    b: createKnownColumn('text'),
    away: createKnownColumn('text', { nullable: true }),
  };
  const pair = createKnownIndex('pair', ['a', 'b'], { unique: true });
  const at = (one: ReturnType<typeof createKnownIndex>): [string[], string[]] => {
    const [left, done] = planBoth(model, createKnownTable(columns, { indexes: [pair, one] }));
    return [left.filter((line) => !line.startsWith('? away')), done.filter((line) => !line.endsWith('column away'))];
  };

  it('are reported or dropped, as a constraint if they are one', () => {
    const formatUniqueWarning = (names: string): string =>
      `! ${names}: unique in the table, and not in the model; ${LEFT}; ${FIXES} drops the index i`;
    expect(at(createKnownIndex('i', ['a'], { unique: true }))).to.deep.equal([
      [formatUniqueWarning('a')],
      ['- drop unique a (i)'],
    ]);
    expect(at(createKnownIndex('i', ['id', 'a'], { unique: true }))).to.deep.equal([
      [formatUniqueWarning('id, a')],
      ['- drop unique id, a (i)'],
    ]);
    for (const constraint of [true, false]) {
      const now = createKnownTable(columns, {
        indexes: [pair, createKnownIndex('i', ['a'], { unique: true, constraint })],
      });
      const { changes } = planMigration([model], new Map([['t', now]]), createShape(), true);
      expect(changes[0]).to.deep.equal({ change: 'drop-unique', table: 't', column: 'a', name: 'i', constraint });
    }
  });
  for (const [title, one] of [
    ['on the columns of the primary key', createKnownIndex('i', ['id'], { unique: true })],
    ['on parts of values', createKnownIndex('i', [], { unique: true })],
    ['on a column that is not in the model', createKnownIndex('i', ['a', 'away'], { unique: true })],
    ['that are not unique', createKnownIndex('i', ['a'])],
    ['that are the primary key', createKnownIndex('i', ['id'], { unique: true, primary: true })],
  ] as const) {
    it(`do not include those ${title}`, () => expect(at(one)).to.deep.equal([[], []]));
  }
  it('do not include another primary key, which is reported and kept', () => {
    const warning = [`! all: the primary key is a, id, the model says id; ${LEFT}`];
    expect(at(createKnownIndex('i', ['a', 'id'], { unique: true, primary: true }))).to.deep.equal([warning, warning]);
    const keyless = defineTable('t', defineColumn('a'));
    const indexes = [createKnownIndex('i', ['a'], { unique: true, primary: true })];
    expect(planBoth(keyless, createKnownTable({ a: createKnownColumn('text') }, { indexes }))).to.deep.equal([[], []]);
  });
});

describe('columns that are not in the model', () => {
  const drops = `the model does not know this column; ${LEFT}; ${FIXES} drops it`;
  const fails =
    'the model does not know this column, which demands a value: every INSERT fails; give it a default, ' +
    `add it to the model, or let ${FIXES} drop it`;
  for (const [nullable, filled, reported] of [
    [true, false, `? b: ${drops}`],
    [false, true, `? b: ${drops}`],
    [true, true, `? b: ${drops}`],
    [false, false, `! b: ${fails}`],
  ] as const) {
    it(`${nullable ? 'nullable' : 'required'}, ${filled ? 'with' : 'without'} a default`, () => {
      const now = createKnownTable({
        a: createKnownColumn('text'),
        b: createKnownColumn('text', { nullable, filled }),
      });
      expect(planBoth(defineTable('t', defineColumn('a')), now)).to.deep.equal([[reported], ['- drop column b']]);
    });
  }
});
