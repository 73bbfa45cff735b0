/** Kinds of jobs, each with a name: what they insert, call, read and send, in every order with a separate mechanism. */
import { defineCallAction, defineExtraction, defineQueuedResource, defineSqlAction } from './job-steps.js';
import { DUE } from './jobs.js';

const defineRow = (id: number, what: string, rest: object = {}): object =>
  defineSqlAction(
    id,
    `INSERT INTO rows (id, ref, what) VALUES ($1, $2, '${what}')`,
    ['$GENERATOR.ULID', '$PAYLOAD.ref'],
    rest,
  );
const defineNumberedRow = (id: number, what: string, rest: object = {}): object =>
  defineSqlAction(
    id,
    `INSERT INTO counts (ref, what) VALUES ($1, '${what}') RETURNING n, what`,
    ['$PAYLOAD.ref'],
    rest,
  );
const defineOtherRow = (id: number, what: string, rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: {
    connection: 'second',
    query: `INSERT INTO others (id, ref, what) VALUES ($1, $2, '${what}')`,
    parameters: ['$GENERATOR.ULID', '$PAYLOAD.ref'],
  },
  ...rest,
});
const defineDocument = (id: number, what: string, rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  mongo_query: {
    collection: 'parts',
    action: 'INSERT',
    document: { key: '$GENERATOR.ULID', ref: '$PAYLOAD.ref', what },
  },
  ...rest,
});
const dependOnActions = (...ids: number[]): object => ({ depends_on: [{ resource_id: 'self', action_ids: ids }] });
const defineRowList = (id: number, what: string, rest: object = {}, query: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: {
    query: `INSERT INTO rows (id, ref, what) VALUES ($1, $2, '${what}')`,
    parameters: ['$GENERATOR.ULID', '$PAYLOAD.ref'],
    multi: 'items',
    ...query,
  },
  ...rest,
});
const defineKeyedRowList = (id: number, what: string, rest: object = {}): object => ({
  ...defineRowList(id, what, {}, { parameters: ['key', '$PAYLOAD.ref'] }),
  generate: { generate: 'ULID', for: 'key' },
  ...rest,
});
const defineDocumentList = (id: number, what: string, rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  mongo_query: {
    collection: 'parts',
    action: 'INSERT',
    multi: 'items',
    document: { key: '$GENERATOR.ULID', ref: '$PAYLOAD.ref', what },
  },
  ...rest,
});

export interface Case {
  readonly name: string;
  readonly actionables: readonly object[];
  readonly rest?: object;
  readonly body?: object;
}

const ITEMS = { items: [{}, {}] };
const EVENT = defineSqlAction(
  1,
  'INSERT INTO events (id) VALUES ($1) ON CONFLICT (id) DO NOTHING RETURNING id',
  ['$PAYLOAD.ref'],
  { must_return_value: true, on_empty: { stop: true } },
);
const GROW = 'UPDATE sums SET total = total + 1 WHERE id = $1 RETURNING total';
const defineIncrement = (id: number): object => defineSqlAction(id, GROW, [{ literal: 'one' }]);
const TOTAL = "SELECT total FROM sums WHERE id = 'one'";
const SENT = { broadcast_websocket_message: { action: 'x', broadcast_type: 'ALL' } };

export const CASES: readonly Case[] = [
  { name: 'one', actionables: [defineRow(1, 'a')] },
  { name: 'group', actionables: [defineRow(1, 'a'), defineNumberedRow(2, 'b')] },
  { name: 'update', actionables: [defineIncrement(1)] },
  { name: 'call-only', actionables: [defineCallAction(1, { ref: '$PAYLOAD.ref' })] },
  {
    name: 'insert-call',
    actionables: [
      defineRow(1, 'a'),
      defineCallAction(2, { order: '$PAYLOAD.order' }, defineExtraction(1, 'id', 'order')),
    ],
  },
  {
    name: 'numbered-call',
    actionables: [defineNumberedRow(1, 'a'), defineCallAction(2, { n: '$PAYLOAD.n' }, defineExtraction(1, 'n', 'n'))],
  },
  { name: 'call-insert', actionables: [defineCallAction(1, { ref: '$PAYLOAD.ref' }), defineRow(2, 'a')] },
  {
    name: 'call-call',
    actionables: [
      defineCallAction(1, { c: 1, id: '$GENERATOR.ULID' }),
      defineCallAction(2, { c: 2, id: '$GENERATOR.UUID' }),
    ],
  },
  {
    name: 'calls-parallel',
    actionables: [
      defineCallAction(1, { c: 1 }, { parallel: true }),
      defineCallAction(2, { c: 2 }, { parallel: true }),
      defineRow(3, 'b'),
    ],
  },
  {
    name: 'parallel-rows',
    actionables: [
      defineRow(1, 'a', { parallel: true }),
      defineNumberedRow(2, 'b', { parallel: true }),
      defineCallAction(3, { c: 3 }),
    ],
  },
  { name: 'list', actionables: [defineRowList(1, 'a')], body: ITEMS },
  {
    name: 'list-call',
    actionables: [
      defineRowList(1, 'a'),
      defineCallAction(2, { id: '$PAYLOAD.first' }, defineExtraction(1, '0.id', 'first')),
    ],
    body: ITEMS,
  },
  { name: 'call-list', actionables: [defineCallAction(1, { c: 1 }), defineRowList(2, 'a')], body: ITEMS },
  {
    name: 'named-list',
    actionables: [
      defineKeyedRowList(1, 'a'),
      defineCallAction(2, { id: '$PAYLOAD.first' }, defineExtraction(1, '0.id', 'first')),
    ],
    body: ITEMS,
  },
  {
    name: 'named-one',
    actionables: [
      {
        ...defineRow(1, 'a'),
        generate: { generate: 'ULID', for: 'key' },
        sql_query: {
          query: "INSERT INTO rows (id, ref, what) VALUES ($1, $2, 'a')",
          parameters: ['key', '$PAYLOAD.ref'],
        },
      },
      defineCallAction(2, { key: '$PAYLOAD.key' }),
      defineRow(3, 'c'),
      defineCallAction(4, { again: '$PAYLOAD.key' }),
    ],
  },
  { name: 'docs', actionables: [defineDocument(1, 'a')] },
  {
    name: 'docs-call',
    actionables: [
      defineDocument(1, 'a'),
      defineCallAction(2, { k: '$PAYLOAD.k' }, defineExtraction(1, 'key', 'k')),
      defineDocument(3, 'b'),
    ],
  },
  { name: 'docs-list', actionables: [defineDocumentList(1, 'a'), defineCallAction(2, { c: 2 })], body: ITEMS },
  { name: 'docs-sql', actionables: [defineDocument(1, 'a'), defineRow(2, 'b')] },
  { name: 'sql-docs', actionables: [defineRow(1, 'a'), defineDocument(2, 'b')] },
  { name: 'two-databases', actionables: [defineRow(1, 'a'), defineOtherRow(2, 'b'), defineRow(3, 'c')] },
  { name: 'second-only', actionables: [defineOtherRow(1, 'b')] },
  {
    name: 'apart',
    actionables: [defineRow(1, 'a'), defineRow(2, 'b'), defineCallAction(3, { c: 3 })],
    rest: { transaction: false },
  },
  {
    name: 'nested',
    actionables: [
      defineCallAction(
        1,
        { n: '$PAYLOAD.n' },
        { depends_on: [{ resource_id: 'dep', action_ids: [2], extract_response_for: [{ extract: 'n', for: 'n' }] }] },
      ),
      defineRow(2, 'z'),
    ],
  },
  {
    name: 'needed',
    actionables: [
      defineRow(1, 'a', { no_op: true }),
      defineCallAction(2, { id: '$PAYLOAD.id' }, defineExtraction(1, 'id', 'id')),
    ],
  },
  { name: 'stop', actionables: [EVENT, defineRow(2, 'a'), defineCallAction(3, { c: 3 }), defineRow(4, 'b')] },
  { name: 'stop-apart', actionables: [EVENT, defineRow(2, 'a')], rest: { transaction: false } },
  { name: 'stop-call', actionables: [EVENT, defineCallAction(3, { c: 3 })] },
  {
    name: 'read-call-write',
    actionables: [
      defineSqlAction(1, TOTAL),
      defineCallAction(2, { t: '$PAYLOAD.total' }, defineExtraction(1, 'total', 'total')),
      defineIncrement(3),
    ],
  },
  {
    name: 'write-read-call',
    actionables: [
      defineIncrement(1),
      defineCallAction(2, { c: 2 }),
      defineSqlAction(3, TOTAL),
      defineCallAction(4, { t: '$PAYLOAD.total' }, defineExtraction(3, 'total', 'total')),
    ],
  },
  {
    name: 'time',
    actionables: [
      defineCallAction(1, { at: '$DATETIME' }),
      defineRow(2, 'a'),
      defineCallAction(3, { at: '$DATETIME' }),
    ],
  },
  {
    name: 'list-of-result',
    actionables: [
      defineSqlAction(1, 'SELECT id FROM fixed ORDER BY id', [], { result: 'many' }),
      defineCallAction(2, { c: 2 }),
      {
        ...defineRowList(3, 'a', {}, { multi: 'found' }),
        ...{
          depends_on: [
            { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'self_', for: 'found' }] },
          ],
        },
      },
      defineCallAction(4, { id: '$PAYLOAD.first' }, defineExtraction(3, '0.id', 'first')),
    ],
  },
  {
    name: 'self-return',
    actionables: [
      defineRow(1, 'a'),
      { id: 2, mode: 'RETURN', value: { x: '$PAYLOAD.o' }, ...defineExtraction(1, 'id', 'o') },
      defineCallAction(3, { x: '$PAYLOAD.x' }, defineExtraction(2, 'x', 'x')),
    ],
  },
  {
    name: 'broadcasts',
    actionables: [defineRow(1, 'a', SENT), defineCallAction(2, { c: 2 }), defineRow(3, 'b', SENT)],
  },
];

const TEXT = { type: 'String' };
const ROW = { id: { ...TEXT, primary_key: true }, ref: TEXT, what: TEXT };
const HIDDEN = { queue: { delay: 3600, retries: 6 } };
const defineResource = (id: string, actionables: readonly object[], rest: object = {}): object => ({
  ...{ id, resource: id, actionables },
  ...rest,
});
export const MODELS = {
  ...{ _rows: ROW, _others: ROW },
  _counts: { n: { type: 'Number', primary_key: true, auto_increment: true }, ref: TEXT, what: TEXT },
  _sums: { id: { ...TEXT, primary_key: true }, total: { type: 'Number' } },
  _events: { id: { ...TEXT, primary_key: true } },
  _fixed: { id: { ...TEXT, primary_key: true } },
  _parts: { key: TEXT, ref: TEXT, what: TEXT },
};
export const RESOURCES: readonly object[] = [
  defineResource('begin', [
    defineSqlAction(1, "INSERT INTO sums (id, total) VALUES ('one', 0)"),
    defineSqlAction(2, "INSERT INTO fixed (id) VALUES ('x'), ('y')"),
  ]),
  defineResource('all-rows', [
    defineSqlAction(
      1,
      `SELECT 'row ' || what AS what FROM rows WHERE ref = $1 UNION ALL SELECT 'count ' || what FROM counts WHERE ref = $1
          UNION ALL SELECT 'total ' || total FROM sums ORDER BY 1`,
      ['$PAYLOAD.ref'],
      { result: 'many' },
    ),
  ]),
  defineResource('all-others', [
    {
      ...{ id: 1, mode: 'QUERY', result: 'many' },
      sql_query: {
        ...{ connection: 'second', query: "SELECT 'other ' || what AS what FROM others WHERE ref = $1" },
        parameters: ['$PAYLOAD.ref'],
      },
    },
  ]),
  defineResource('all-parts', [
    {
      ...{ id: 1, mode: 'QUERY', result: 'many' },
      mongo_query: { collection: 'parts', action: 'FETCH', filter_predicate: { ref: '$PAYLOAD.ref' } },
    },
  ]),
  defineResource('dep', [defineRow(1, 'd1', { no_op: true }), defineNumberedRow(2, 'd2', dependOnActions(1))]),
  ...CASES.map(({ name, actionables, rest }) => defineQueuedResource(name, actionables, { ...HIDDEN, ...rest })),
  defineResource('row-then', [defineRow(1, 'now'), defineRow(2, 'later', { queue: {} })]),
  defineResource('part-then', [defineDocument(1, 'first'), defineRow(2, 'later', { queue: {} })]),
  defineQueuedResource('switched', [defineRow(1, 'let in')], { queue: { delay: 3600, retries: 0 } }),
  defineQueuedResource(
    'moved',
    [defineRow(1, 'late'), defineSqlAction(2, "UPDATE lintel_jobs SET token = 'of another' WHERE state = 'running'")],
    { queue: { retries: 0 } },
  ),
  DUE,
];
