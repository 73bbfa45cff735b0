/**
 * Work behind the answer under attack: every shape of work with every fault it can meet, one at a time. Whatever fails and wherever a
 * process ends, rows are there once, and calls that are made again are the same calls with the same key.
 */
import { expect } from 'chai';
import { attack, type Done, type Fault } from '../support/job-attacks.js';
import { call, extracted, later, statement, STEP_STORES, stepKernel, type StepKernel } from '../support/job-steps.js';
import { DUE, eventually } from '../support/jobs.js';
import { sampleCases } from '../support/sample.js';

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

interface Case {
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

const CASES: readonly Case[] = [
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
const MODELS = {
  ...{ _rows: ROW, _others: ROW },
  _counts: { n: { type: 'Number', primary_key: true, auto_increment: true }, ref: TEXT, what: TEXT },
  _sums: { id: { ...TEXT, primary_key: true }, total: { type: 'Number' } },
  _events: { id: { ...TEXT, primary_key: true } },
  _fixed: { id: { ...TEXT, primary_key: true } },
  _parts: { key: TEXT, ref: TEXT, what: TEXT },
};
const RESOURCES: readonly object[] = [
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

/** All faults that a run can meet which made so many calls and notes. */
const faultsOf = ({ calls, writes }: Done): Fault[] => {
  const each = (count: number, make: (at: number) => Fault): Fault[] =>
    Array.from({ length: count }, (_, at) => make(at + 1));
  return [
    { again: true },
    ...each(calls.length, (failedCall) => ({ failedCall })),
    ...each(writes, (lostNote) => ({ lostNote })),
    ...each(writes, (keptNote) => ({ keptNote })),
  ];
};

describe('work under attack', () => {
  let steps: StepKernel;
  before(async () => {
    const store = await STEP_STORES[0]!.make();
    if ('skip' in store) throw new Error(store.skip);
    const connections = { ...store.connections, second: { use: 'pglite', path: 'memory://' } };
    steps = await stepKernel(
      { ...store, connections },
      { 'definitions/models.json': MODELS, 'definitions/all.json': RESOURCES },
    );
    await steps.post('/begin', {});
  });
  after(() => steps.close());

  let number = 0;
  let total = 0;
  async function rowsOf(ref: string): Promise<readonly string[]> {
    const found = await Promise.all(
      ['rows', 'others', 'parts'].map((table) => steps.kernel.post<{ what: string }[]>(`/all-${table}`, { ref })),
    );
    return found.flatMap(({ body }) => body.map(({ what }) => what));
  }
  async function run({ name, body }: Case, fault: Fault): Promise<Done & { readonly rows: readonly string[] }> {
    const ref = `${name} ${++number}`;
    const done = await attack(steps, name, { ref, ...body }, fault);
    const before = total;
    const rows = (await rowsOf(ref)).map((row) => {
      if (!row.startsWith('total ')) return row;
      total = Number(row.slice('total '.length));
      return `grew by ${total - before}`;
    });
    return { ...done, rows };
  }
  const different = ({ calls }: Done): number => new Set(calls.map(({ body }) => JSON.stringify(body))).size;

  for (const one of sampleCases('kills', 'work under attack', CASES, 8))
    it(`does once what is done once: ${one.name}`, async () => {
      const plain = await run(one, {});
      expect(plain.outcomes).to.deep.equal(['done']);
      for (const fault of faultsOf(plain)) {
        const attacked = await run(one, fault);
        const what = JSON.stringify([fault, attacked.outcomes]);
        expect(attacked.outcomes.at(-1), what).to.equal('done');
        expect(attacked.rows, what).to.deep.equal(plain.rows);
        expect(different(attacked), what).to.equal(different(plain));
        expect(new Set(attacked.calls.map(({ key }) => key)).size, what).to.equal(Math.min(1, plain.calls.length));
        expect(attacked.messages, what).to.equal(plain.messages);
      }
    });

  const idle = (): Promise<unknown> =>
    eventually(
      () => steps.jobs(),
      ({ length }) => length === 0,
    );

  it('is accepted in the transaction of documents where statements accept work too', async () => {
    for (const path of ['row-then', 'part-then']) {
      const { status } = await steps.post(`/${path}`, { ref: path });
      expect([path, status]).to.deep.equal([path, 200]);
      await idle();
    }
    expect((await rowsOf('part-then')).filter((what) => !what.startsWith('total'))).to.deep.equal([
      'row later',
      'first',
    ]);
  });

  it('is rolled back where another process has it by now', async () => {
    await steps.post('/moved', { ref: 'moved' });
    const [dead] = await eventually(
      () => steps.jobs(),
      ([job]) => job?.state === 'dead',
    );
    expect(dead?.failure?.code).to.equal('JOB_STOPPED');
    expect((await rowsOf('moved')).filter((what) => what.startsWith('row'))).to.deep.equal([]);
    await steps.kernel.kernel.desks()[0]?.purge({ dead: true });
  });

  it('waits while its resource is under maintenance, without a try', async () => {
    const { kernel, project } = steps.kernel;
    const switched = async (maintenance: boolean): Promise<void> => {
      const changed = RESOURCES.map((one) => ('id' in one && one.id === 'switched' ? { ...one, maintenance } : one));
      await project.write('definitions/all.json', changed);
      expect((await kernel.reload()).applied).to.equal(true);
    };
    await steps.post('/switched', { ref: 'switched' });
    await switched(true);
    await steps.post('/due', {});
    const [waiting] = await eventually(
      () => steps.jobs(),
      ([job]) => job?.failure !== null,
    );
    expect(waiting).to.deep.include({ state: 'waiting', attempts: 0 });
    expect(waiting?.failure?.code).to.equal('RES_MAINTENANCE');
    await switched(false);
    await idle();
    expect(await rowsOf('switched')).to.include('row let in');
  });
});
