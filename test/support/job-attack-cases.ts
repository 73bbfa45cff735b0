/** Shapes of work, each with a name: what it inserts, calls, reads and sends, in every order that has a mechanism of its own. */
import { call, extracted, later, statement } from './job-steps.js';
import { DUE } from './jobs.js';

const row = (id: number, what: string, rest: object = {}): object =>
  statement(
    id,
    `INSERT INTO rows (id, ref, what) VALUES ($1, $2, '${what}')`,
    ['$GENERATOR.ULID', '$PAYLOAD.ref'],
    rest,
  );
const numbered = (id: number, what: string, rest: object = {}): object =>
  statement(id, `INSERT INTO counts (ref, what) VALUES ($1, '${what}') RETURNING n, what`, ['$PAYLOAD.ref'], rest);
const other = (id: number, what: string, rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: {
    connection: 'second',
    query: `INSERT INTO others (id, ref, what) VALUES ($1, $2, '${what}')`,
    parameters: ['$GENERATOR.ULID', '$PAYLOAD.ref'],
  },
  ...rest,
});
const doc = (id: number, what: string, rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  mongo_query: {
    collection: 'parts',
    action: 'INSERT',
    document: { key: '$GENERATOR.ULID', ref: '$PAYLOAD.ref', what },
  },
  ...rest,
});
const self = (...ids: number[]): object => ({ depends_on: [{ resource_id: 'self', action_ids: ids }] });
const list = (id: number, what: string, rest: object = {}, query: object = {}): object => ({
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
const named = (id: number, what: string, rest: object = {}): object => ({
  ...list(id, what, {}, { parameters: ['key', '$PAYLOAD.ref'] }),
  generate: { generate: 'ULID', for: 'key' },
  ...rest,
});
const docs = (id: number, what: string, rest: object = {}): object => ({
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
const EVENT = statement(
  1,
  'INSERT INTO events (id) VALUES ($1) ON CONFLICT (id) DO NOTHING RETURNING id',
  ['$PAYLOAD.ref'],
  { must_return_value: true, on_empty: { stop: true } },
);
const GROW = 'UPDATE sums SET total = total + 1 WHERE id = $1 RETURNING total';
const grow = (id: number): object => statement(id, GROW, [{ literal: 'one' }]);
const TOTAL = "SELECT total FROM sums WHERE id = 'one'";
const SENT = { broadcast_websocket_message: { action: 'x', broadcast_type: 'ALL' } };

export const CASES: readonly Case[] = [
  { name: 'one', actionables: [row(1, 'a')] },
  { name: 'group', actionables: [row(1, 'a'), numbered(2, 'b')] },
  { name: 'update', actionables: [grow(1)] },
  { name: 'call-only', actionables: [call(1, { ref: '$PAYLOAD.ref' })] },
  {
    name: 'insert-call',
    actionables: [row(1, 'a'), call(2, { order: '$PAYLOAD.order' }, extracted(1, 'id', 'order'))],
  },
  { name: 'numbered-call', actionables: [numbered(1, 'a'), call(2, { n: '$PAYLOAD.n' }, extracted(1, 'n', 'n'))] },
  { name: 'call-insert', actionables: [call(1, { ref: '$PAYLOAD.ref' }), row(2, 'a')] },
  {
    name: 'call-call',
    actionables: [call(1, { c: 1, id: '$GENERATOR.ULID' }), call(2, { c: 2, id: '$GENERATOR.UUID' })],
  },
  {
    name: 'calls-parallel',
    actionables: [call(1, { c: 1 }, { parallel: true }), call(2, { c: 2 }, { parallel: true }), row(3, 'b')],
  },
  {
    name: 'parallel-rows',
    actionables: [row(1, 'a', { parallel: true }), numbered(2, 'b', { parallel: true }), call(3, { c: 3 })],
  },
  { name: 'list', actionables: [list(1, 'a')], body: ITEMS },
  {
    name: 'list-call',
    actionables: [list(1, 'a'), call(2, { id: '$PAYLOAD.first' }, extracted(1, '0.id', 'first'))],
    body: ITEMS,
  },
  { name: 'call-list', actionables: [call(1, { c: 1 }), list(2, 'a')], body: ITEMS },
  {
    name: 'named-list',
    actionables: [named(1, 'a'), call(2, { id: '$PAYLOAD.first' }, extracted(1, '0.id', 'first'))],
    body: ITEMS,
  },
  {
    name: 'named-one',
    actionables: [
      {
        ...row(1, 'a'),
        generate: { generate: 'ULID', for: 'key' },
        sql_query: {
          query: "INSERT INTO rows (id, ref, what) VALUES ($1, $2, 'a')",
          parameters: ['key', '$PAYLOAD.ref'],
        },
      },
      call(2, { key: '$PAYLOAD.key' }),
      row(3, 'c'),
      call(4, { again: '$PAYLOAD.key' }),
    ],
  },
  { name: 'docs', actionables: [doc(1, 'a')] },
  {
    name: 'docs-call',
    actionables: [doc(1, 'a'), call(2, { k: '$PAYLOAD.k' }, extracted(1, 'key', 'k')), doc(3, 'b')],
  },
  { name: 'docs-list', actionables: [docs(1, 'a'), call(2, { c: 2 })], body: ITEMS },
  { name: 'docs-sql', actionables: [doc(1, 'a'), row(2, 'b')] },
  { name: 'sql-docs', actionables: [row(1, 'a'), doc(2, 'b')] },
  { name: 'two-databases', actionables: [row(1, 'a'), other(2, 'b'), row(3, 'c')] },
  { name: 'second-only', actionables: [other(1, 'b')] },
  { name: 'apart', actionables: [row(1, 'a'), row(2, 'b'), call(3, { c: 3 })], rest: { transaction: false } },
  {
    name: 'nested',
    actionables: [
      call(
        1,
        { n: '$PAYLOAD.n' },
        { depends_on: [{ resource_id: 'dep', action_ids: [2], extract_response_for: [{ extract: 'n', for: 'n' }] }] },
      ),
      row(2, 'z'),
    ],
  },
  {
    name: 'needed',
    actionables: [row(1, 'a', { no_op: true }), call(2, { id: '$PAYLOAD.id' }, extracted(1, 'id', 'id'))],
  },
  { name: 'stop', actionables: [EVENT, row(2, 'a'), call(3, { c: 3 }), row(4, 'b')] },
  { name: 'stop-apart', actionables: [EVENT, row(2, 'a')], rest: { transaction: false } },
  { name: 'stop-call', actionables: [EVENT, call(3, { c: 3 })] },
  {
    name: 'read-call-write',
    actionables: [statement(1, TOTAL), call(2, { t: '$PAYLOAD.total' }, extracted(1, 'total', 'total')), grow(3)],
  },
  {
    name: 'write-read-call',
    actionables: [
      grow(1),
      call(2, { c: 2 }),
      statement(3, TOTAL),
      call(4, { t: '$PAYLOAD.total' }, extracted(3, 'total', 'total')),
    ],
  },
  { name: 'time', actionables: [call(1, { at: '$DATETIME' }), row(2, 'a'), call(3, { at: '$DATETIME' })] },
  {
    name: 'list-of-result',
    actionables: [
      statement(1, 'SELECT id FROM fixed ORDER BY id', [], { result: 'many' }),
      call(2, { c: 2 }),
      {
        ...list(3, 'a', {}, { multi: 'found' }),
        ...{
          depends_on: [
            { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'self_', for: 'found' }] },
          ],
        },
      },
      call(4, { id: '$PAYLOAD.first' }, extracted(3, '0.id', 'first')),
    ],
  },
  {
    name: 'self-return',
    actionables: [
      row(1, 'a'),
      { id: 2, mode: 'RETURN', value: { x: '$PAYLOAD.o' }, ...extracted(1, 'id', 'o') },
      call(3, { x: '$PAYLOAD.x' }, extracted(2, 'x', 'x')),
    ],
  },
  { name: 'broadcasts', actionables: [row(1, 'a', SENT), call(2, { c: 2 }), row(3, 'b', SENT)] },
];

const TEXT = { type: 'String' };
const ROW = { id: { ...TEXT, primary_key: true }, ref: TEXT, what: TEXT };
const HIDDEN = { queue: { delay: 3600, retries: 6 } };
const resource = (id: string, actionables: readonly object[], rest: object = {}): object => ({
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
  resource('begin', [
    statement(1, "INSERT INTO sums (id, total) VALUES ('one', 0)"),
    statement(2, "INSERT INTO fixed (id) VALUES ('x'), ('y')"),
  ]),
  resource('all-rows', [
    statement(
      1,
      `SELECT 'row ' || what AS what FROM rows WHERE ref = $1 UNION ALL SELECT 'count ' || what FROM counts WHERE ref = $1
          UNION ALL SELECT 'total ' || total FROM sums ORDER BY 1`,
      ['$PAYLOAD.ref'],
      { result: 'many' },
    ),
  ]),
  resource('all-others', [
    {
      ...{ id: 1, mode: 'QUERY', result: 'many' },
      sql_query: {
        ...{ connection: 'second', query: "SELECT 'other ' || what AS what FROM others WHERE ref = $1" },
        parameters: ['$PAYLOAD.ref'],
      },
    },
  ]),
  resource('all-parts', [
    {
      ...{ id: 1, mode: 'QUERY', result: 'many' },
      mongo_query: { collection: 'parts', action: 'FETCH', filter_predicate: { ref: '$PAYLOAD.ref' } },
    },
  ]),
  resource('dep', [row(1, 'd1', { no_op: true }), numbered(2, 'd2', self(1))]),
  ...CASES.map(({ name, actionables, rest }) => later(name, actionables, { ...HIDDEN, ...rest })),
  resource('row-then', [row(1, 'now'), row(2, 'later', { queue: {} })]),
  resource('part-then', [doc(1, 'first'), row(2, 'later', { queue: {} })]),
  later('switched', [row(1, 'let in')], { queue: { delay: 3600, retries: 0 } }),
  later(
    'moved',
    [row(1, 'late'), statement(2, "UPDATE lintel_jobs SET token = 'of another' WHERE state = 'running'")],
    { queue: { retries: 0 } },
  ),
  DUE,
];
