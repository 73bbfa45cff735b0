/**
 * Migration of MongoDB collections: the commands, what is read of a collection, and other processes. Without a server.
 */
import { expect } from 'chai';
import type { Fault } from '../../../contract/fault.js';
import type { Log } from '../../../contract/plugin.js';
import type { MongoConnection } from '../../../plugins/document-stores/mongodb/connection.js';
import { migrateMongo, outlineMongo } from '../../../plugins/document-stores/mongodb/migrate.js';
import { createRules } from '../../../plugins/document-stores/shared/rules.js';
import { createModelColumn, createModelTable } from '../../support/model-tables.js';

const TABLE = createModelTable(
  [
    createModelColumn('_id'),
    createModelColumn('a', { index: true }),
    createModelColumn('b', { search: true }),
    createModelColumn('c'),
  ],
  [['a', 'c']],
);
const RULES = { $jsonSchema: createRules(TABLE) };
const [UNIQUE, PLAIN, WORDS] = [
  { name: 'x', key: { a: 1, c: 1 }, unique: true },
  { name: 'y', key: { a: 1 } },
  { name: 'z', key: { _fts: 'text', _ftsx: 1 }, weights: { b: 1 } },
] as const;
const INDEXES: readonly object[] = [UNIQUE, PLAIN, WORDS];
const RIGHT = { name: 'notes', type: 'collection', options: { validator: RULES } };
const createServerError = (code: number): Error =>
  Object.assign(new Error('a value'), { name: 'MongoServerError', code });

interface Server {
  readonly connection: MongoConnection;
  /** The commands that change something, and how often collections were looked at. */
  readonly commands: Record<string, unknown>[];
  looks: number;
}

interface Answers {
  readonly indexes?: readonly object[];
  /** Called before each command, the first of which is 1: what it returns is thrown. */
  readonly refuse?: (count: number) => Error | undefined;
  /** The result from the second lookup on, if it differs. */
  readonly later?: readonly object[];
  /** The error of listing collections. */
  readonly listing?: Error | undefined;
}

function serverWith(
  found: readonly object[],
  { indexes = [], refuse = () => undefined, later, listing }: Answers = {},
): Server {
  const server = { commands: [] as Record<string, unknown>[], looks: 0 };
  let count = 0;
  const db = {
    listCollections: (filter: unknown) => ({
      toArray: () => {
        server.looks++;
        expect(filter).to.deep.equal({ name: { $in: ['notes'] } });
        return listing === undefined
          ? Promise.resolve(server.looks > 1 ? (later ?? found) : found)
          : Promise.reject(listing);
      },
    }),
    collection: () => ({ indexes: () => Promise.resolve(indexes) }),
    command: (command: Record<string, unknown>) => {
      const error = refuse(++count);
      if (error !== undefined) return Promise.reject(error);
      server.commands.push(command);
      return Promise.resolve({});
    },
  };
  return Object.assign(server, { connection: { db, print: JSON.stringify } as unknown as MongoConnection });
}

function logging(): { readonly log: Log; readonly lines: unknown[] } {
  const lines: unknown[] = [];
  const note =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push([level, fields, message]);
  return { log: { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }, lines };
}

const migrated = async ({ connection }: Server): Promise<Fault | null> =>
  migrateMongo(connection, [TABLE], { store: 'main', log: logging().log }).then(
    () => null,
    (error: unknown) => error as Fault,
  );
const names = (server: Server): unknown[] => server.commands.map((command) => Object.keys(command)[0]);

describe('MongoDB migration', () => {
  it('creates a collection with its rules and indexes, step by step', async () => {
    const server = serverWith([]);
    const { log, lines } = logging();
    const steps: unknown[] = [];
    await migrateMongo(server.connection, [TABLE], {
      store: 'main',
      log,
      progress: ({ change }, number, of) => void steps.push([change, number, of]),
    });
    expect(server.commands).to.deep.equal([
      { create: 'notes', validator: RULES, validationLevel: 'moderate', validationAction: 'error' },
      {
        createIndexes: 'notes',
        indexes: [
          {
            key: { a: 1, c: 1 },
            name: 'a_c_unique',
            unique: true,
            partialFilterExpression: { a: { $gte: '' }, c: { $gte: '' } },
          },
        ],
      },
      { createIndexes: 'notes', indexes: [{ key: { a: 1 }, name: 'a_index' }] },
      {
        createIndexes: 'notes',
        indexes: [
          {
            key: { b: 'text' },
            name: 'words_search',
            default_language: 'english',
            language_override: '_words_language',
          },
        ],
      },
    ]);
    expect(steps).to.deep.equal([
      ['create collection', 1, 4],
      ['add unique', 2, 4],
      ['add index', 3, 4],
      ['add search index', 4, 4],
    ]);
    expect(lines.filter((line) => (line as string[])[0] === 'debug')).to.deep.equal(
      server.commands.map((command) => ['debug', { table: 'notes', sql: JSON.stringify(command) }, 'migration']),
    );
    expect(lines.at(-1)).to.deep.equal(['info', { tables: ['notes'] }, 'collections migrated']);
    expect(server.looks).to.equal(1);
  });

  it('changes and reports nothing if all is up to date, and reads nothing without a model', async () => {
    const server = serverWith([RIGHT], { indexes: INDEXES });
    const { log, lines } = logging();
    await migrateMongo(server.connection, [TABLE], { store: 'main', log });
    expect([server.commands, lines, server.looks]).to.deep.equal([[], [], 1]);
    await migrateMongo(server.connection, [], { store: 'main', log });
    expect(await outlineMongo(server.connection, [], 'main')).to.deep.equal({ steps: [], warnings: [] });
    expect(server.looks).to.equal(1);
  });

  for (const [title, found, indexes, expected, warnings] of [
    ['without rules', { name: 'notes' }, INDEXES, ['collMod'], []],
    ['with a validator of another owner', { ...RIGHT, options: { validator: { a: 1 } } }, INDEXES, [], ['null']],
    ['that is a view', { name: 'notes', type: 'view' }, [], [], ['null']],
    ['whose rules are off', { ...RIGHT, options: { validator: RULES, validationLevel: 'off' } }, INDEXES, [], ['null']],
    [
      'whose rules only warn',
      { ...RIGHT, options: { validator: RULES, validationAction: 'warn' } },
      INDEXES,
      [],
      ['null'],
    ],
    [
      'whose rules reject',
      { ...RIGHT, options: { validator: RULES, validationLevel: 'strict', validationAction: 'error' } },
      INDEXES,
      [],
      [],
    ],
    ['whose index is not unique', RIGHT, [{ ...UNIQUE, unique: false }, PLAIN, WORDS], ['createIndexes'], []],
    [
      'whose index of a value contains some documents only',
      RIGHT,
      [
        { ...UNIQUE, partialFilterExpression: {} },
        { ...PLAIN, key: { a: 1, b: 1 }, partialFilterExpression: {} },
        WORDS,
      ],
      ['createIndexes'],
      [],
    ],
    ['without a text index', RIGHT, [UNIQUE, PLAIN], ['createIndexes'], []],
    ['whose text index has another field', RIGHT, [UNIQUE, PLAIN, { ...WORDS, weights: { c: 1 } }], [], ['b']],
    ['whose index has a duplicate name', RIGHT, [PLAIN, WORDS, { name: 'a_c_unique', key: { q: 1 } }], [], ['a, c']],
  ] as const)
    it(`of a collection ${title}`, async () => {
      const server = serverWith([found], { indexes });
      const { log, lines } = logging();
      const plan = await outlineMongo(server.connection, [TABLE], 'main');
      expect(plan.warnings.map(({ column, store }) => [String(column), store])).to.deep.equal(
        warnings.map((column) => [column, 'documents.main']),
      );
      expect(server.commands).to.deep.equal([]);
      await migrateMongo(server.connection, [TABLE], { store: 'main', log });
      expect(names(server)).to.deep.equal(expected);
      expect(plan.steps.map(({ sql }) => sql)).to.deep.equal(server.commands.map((one) => [JSON.stringify(one)]));
      expect(lines.filter((line) => (line as string[])[0] === 'warn')).to.have.length(warnings.length);
    });

  it('changes its own rules to wider ones', async () => {
    const narrow = { $jsonSchema: createRules(createModelTable([createModelColumn('a')])) };
    const server = serverWith([{ ...RIGHT, options: { validator: narrow } }], { indexes: INDEXES });
    expect(await migrated(server)).to.equal(null);
    const [command] = server.commands;
    expect(command).to.deep.include({ collMod: 'notes', validationLevel: 'moderate', validationAction: 'error' });
    expect(Object.keys((command?.['validator'] as typeof RULES).$jsonSchema.properties)).to.deep.equal(['a', 'b', 'c']);
  });
});

describe('MongoDB migration that meets another process', () => {
  // NamespaceExists, WriteConflict, IndexBuildAborted, IndexBuildAlreadyInProgress, and a background operation in two forms.
  for (const code of [48, 112, 276, 285, 12586, 12587])
    it(`reads again after the error ${code}`, async () => {
      const server = serverWith([], { refuse: (count) => (count === 2 ? createServerError(code) : undefined) });
      expect(await migrated(server)).to.equal(null);
      expect(server.looks).to.equal(2);
      expect(names(server)).to.deep.equal(['create', 'create', 'createIndexes', 'createIndexes', 'createIndexes']);
    });

  it('then does the rest', async () => {
    const server = serverWith([], { later: [RIGHT], indexes: INDEXES, refuse: () => createServerError(48) });
    const { log, lines } = logging();
    await migrateMongo(server.connection, [TABLE], { store: 'main', log });
    expect([server.looks, server.commands]).to.deep.equal([2, []]);
    expect(lines).to.deep.equal([['info', { tables: ['notes'] }, 'collections migrated']]);
  });

  it('reads at most twenty times', async () => {
    const server = serverWith([], { refuse: () => createServerError(112) });
    expect(await migrated(server)).to.deep.include({ code: 'QRY_MIGRATION' });
    expect(server.looks).to.equal(20);
    const late = serverWith([], { refuse: (count) => (count < 20 ? createServerError(112) : undefined) });
    expect(await migrated(late)).to.equal(null);
  });

  it('does not read again after another error, and states whether to retry', async () => {
    for (const [error, again] of [
      [createServerError(13), false],
      [createServerError(11000), false],
      [new Error('x'), false],
      [Object.assign(new Error('x'), { name: 'MongoNetworkError' }), true],
    ] as const) {
      const server = serverWith([], { refuse: () => error });
      const found = await migrated(server);
      expect([found?.code, found?.params, found?.options.retryable, server.looks]).to.deep.equal([
        'QRY_MIGRATION',
        { table: 'notes' },
        again,
        1,
      ]);
      expect((found?.options.cause as Error).message).not.to.contain('a value');
    }
  });

  it('names the fields that have duplicate values', async () => {
    const server = serverWith([RIGHT], { indexes: [PLAIN, WORDS], refuse: () => createServerError(11000) });
    const found = await migrated(server);
    expect([found?.code, found?.params]).to.deep.equal(['QRY_DUPLICATES', { table: 'notes', columns: 'a, c' }]);
    const other = serverWith([RIGHT], { indexes: [PLAIN, WORDS], refuse: () => createServerError(67) });
    expect(await migrated(other)).to.deep.include({ code: 'QRY_MIGRATION' });
  });

  it('is rejected if collections cannot be read', async () => {
    for (const [error, again] of [
      [createServerError(13), false],
      [Object.assign(new Error('x'), { name: 'MongoNetworkError' }), true],
    ] as const) {
      const server = serverWith([], { listing: error });
      const planned: unknown = await outlineMongo(server.connection, [TABLE], 'main').catch((found: unknown) => found);
      for (const found of [await migrated(server), planned as Fault])
        expect([found?.code, found?.params, found?.options.retryable]).to.deep.equal([
          'QRY_MIGRATION',
          { table: 'notes' },
          again,
        ]);
    }
  });
});
