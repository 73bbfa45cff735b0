
import type { Deferred, Note } from '../../kernel/contract/deferred.js';
import { call, extracted, later, statement, STEP_STORES, stepKernel, type StepKernel } from '../support/job-steps.js';

const row = (id: number, what: string, rest: object = {}): object =>
  statement(id, `INSERT INTO rows (id, ref, what) VALUES ($1, $2, '${what}')`, ['$GENERATOR.ULID', '$PAYLOAD.ref'], rest);
const numbered = (id: number, what: string, rest: object = {}): object =>
  statement(id, `INSERT INTO counts (ref, what) VALUES ($1, '${what}') RETURNING n, what`, ['$PAYLOAD.ref'], rest);
const other = (id: number, what: string, rest: object = {}): object => ({
  id, mode: 'QUERY',
  sql_query: { connection: 'second', query: `INSERT INTO others (id, ref, what) VALUES ($1, $2, '${what}')`, parameters: ['$GENERATOR.ULID', '$PAYLOAD.ref'] },
  ...rest,
});
const doc = (id: number, what: string, rest: object = {}): object => ({
  id, mode: 'QUERY', mongo_query: { collection: 'parts', action: 'INSERT', document: { key: '$GENERATOR.ULID', ref: '$PAYLOAD.ref', what } }, ...rest,
});
const self = (...ids: number[]): object => ({ depends_on: [{ resource_id: 'self', action_ids: ids }] });
const list = (id: number, what: string, rest: object = {}, query: object = {}): object => ({
  id, mode: 'QUERY',
  sql_query: { query: `INSERT INTO rows (id, ref, what) VALUES ($1, $2, '${what}')`, parameters: ['$GENERATOR.ULID', '$PAYLOAD.ref'], multi: 'items', ...query },
  ...rest,
});
const named = (id: number, what: string, rest: object = {}): object => ({
  ...list(id, what, {}, { parameters: ['key', '$PAYLOAD.ref'] }) , generate: { generate: 'ULID', for: 'key' }, ...rest });
const docs = (id: number, what: string, rest: object = {}): object => ({
  id, mode: 'QUERY', mongo_query: { collection: 'parts', action: 'INSERT', multi: 'items', document: { key: '$GENERATOR.ULID', ref: '$PAYLOAD.ref', what } }, ...rest,
});

type Case = { name: string; actionables: object[]; rest?: object; body?: object; };
const CASES: Case[] = [
  { name: 'one', actionables: [row(1, 'a')] },
  { name: 'group', actionables: [row(1, 'a'), numbered(2, 'b')] },
  { name: 'update', actionables: [statement(1, 'UPDATE sums SET total = total + 1 WHERE id = $1', [{literal: 'one'}])] },
  { name: 'call-only', actionables: [call(1, { ref: '$PAYLOAD.ref' })] },
  { name: 'insert-call', actionables: [row(1, 'a'), call(2, { order: '$PAYLOAD.order' }, extracted(1, 'id', 'order'))] },
  { name: 'numbered-call', actionables: [numbered(1, 'a'), call(2, { n: '$PAYLOAD.n' }, extracted(1, 'n', 'n'))] },
  { name: 'call-insert', actionables: [call(1, { ref: '$PAYLOAD.ref' }), row(2, 'a')] },
  { name: 'call-call', actionables: [call(1, { c: 1, id: '$GENERATOR.ULID' }), call(2, { c: 2, id: '$GENERATOR.UUID' })] },
  { name: 'calls-parallel', actionables: [call(1, { c: 1 }, { parallel: true }), call(2, { c: 2 }, { parallel: true }), row(3, 'b')] },
  { name: 'parallel-rows', actionables: [row(1, 'a', { parallel: true }), numbered(2, 'b', { parallel: true }), call(3, { c: 3 })] },
  { name: 'list', actionables: [list(1, 'a')], body: { items: [{}, {}] } },
  { name: 'list-call', actionables: [list(1, 'a'), call(2, { id: '$PAYLOAD.first' }, extracted(1, '0.id', 'first'))], body: { items: [{}, {}] } },
  { name: 'call-list', actionables: [call(1, { c: 1 }), list(2, 'a')], body: { items: [{}, {}] } },
  { name: 'named-list', actionables: [named(1, 'a'), call(2, { id: '$PAYLOAD.first' }, extracted(1, '0.id', 'first'))], body: { items: [{}, {}] } },
  { name: 'named-one', actionables: [{ ...row(1, 'a'), generate: { generate: 'ULID', for: 'key' }, sql_query: { query: "INSERT INTO rows (id, ref, what) VALUES ($1, $2, 'a')", parameters: ['key', '$PAYLOAD.ref'] } }, call(2, { key: '$PAYLOAD.key' }), row(3, 'c'), call(4, { again: '$PAYLOAD.key' })] },
  { name: 'docs', actionables: [doc(1, 'a')] },
  { name: 'docs-call', actionables: [doc(1, 'a'), call(2, { k: '$PAYLOAD.k' }, extracted(1, 'key', 'k')), doc(3, 'b')] },
  { name: 'docs-list', actionables: [docs(1, 'a'), call(2, { c: 2 })], body: { items: [{}, {}] } },
  { name: 'docs-sql', actionables: [doc(1, 'a'), row(2, 'b')] },
  { name: 'sql-docs', actionables: [row(1, 'a'), doc(2, 'b')] },
  { name: 'two-databases', actionables: [row(1, 'a'), other(2, 'b'), row(3, 'c')] },
  { name: 'second-only', actionables: [other(1, 'b')] },
  { name: 'apart', actionables: [row(1, 'a'), row(2, 'b'), call(3, { c: 3 })], rest: { transaction: false } },
  { name: 'nested', actionables: [call(1, { n: '$PAYLOAD.n' }, { depends_on: [{ resource_id: 'dep', action_ids: [2], extract_response_for: [{ extract: 'n', for: 'n' }] }] }), row(2, 'z')] },
  { name: 'needed', actionables: [row(1, 'a', { no_op: true }), call(2, { id: '$PAYLOAD.id' }, extracted(1, 'id', 'id'))] },
  { name: 'stop', actionables: [statement(1, 'INSERT INTO events (id) VALUES ($1) ON CONFLICT (id) DO NOTHING RETURNING id', ['$PAYLOAD.ref'], { must_return_value: true, on_empty: { stop: true } }), row(2, 'a'), call(3, { c: 3 }), row(4, 'b')] },
  { name: 'stop-apart', actionables: [statement(1, 'INSERT INTO events (id) VALUES ($1) ON CONFLICT (id) DO NOTHING RETURNING id', ['$PAYLOAD.ref'], { must_return_value: true, on_empty: { stop: true } }), row(2, 'a')], rest: { transaction: false } },
  { name: 'stop-call', actionables: [statement(1, 'INSERT INTO events (id) VALUES ($1) ON CONFLICT (id) DO NOTHING RETURNING id', ['$PAYLOAD.ref'], { must_return_value: true, on_empty: { stop: true } }), call(3, { c: 3 })] },
  { name: 'read-call-write', actionables: [statement(1, "SELECT total FROM sums WHERE id = 'one'"), call(2, { t: '$PAYLOAD.total' }, extracted(1, 'total', 'total')), statement(3, 'UPDATE sums SET total = total + 1 WHERE id = $1', [{literal: 'one'}])] },
  { name: 'write-read-call', actionables: [statement(1, 'UPDATE sums SET total = total + 1 WHERE id = $1 RETURNING total', [{literal: 'one'}]), call(2, { c: 2 }), statement(3, "SELECT total FROM sums WHERE id = 'one'"), call(4, { t: '$PAYLOAD.total' }, extracted(3, 'total', 'total'))] },
  { name: 'time', actionables: [call(1, { at: '$DATETIME' }), row(2, 'a'), call(3, { at: '$DATETIME' })] },
  { name: 'list-of-result', actionables: [statement(1, "SELECT id FROM fixed ORDER BY id", [], { result: 'many' }), call(2, { c: 2 }), { ...list(3, 'a', {}, { multi: 'found' }), ...{ depends_on: [{ resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'self_', for: 'found' }] }] } }, call(4, { id: '$PAYLOAD.first' }, extracted(3, '0.id', 'first'))] },
  { name: 'self-return', actionables: [row(1, 'a'), { id: 2, mode: 'RETURN', value: { x: '$PAYLOAD.o' }, ...extracted(1, 'id', 'o') }, call(3, { x: '$PAYLOAD.x' }, extracted(2, 'x', 'x'))] },
  { name: 'broadcasts', actionables: [row(1, 'a', { broadcast_websocket_message: { action: 'x', broadcast_type: 'ALL' } }), call(2, { c: 2 }), row(3, 'b', { broadcast_websocket_message: { action: 'x', broadcast_type: 'ALL' } })] },
];

const all = (table: string): object => ({ id: `all-${table}`, resource: `all-${table}`, actionables: [statement(1, `SELECT * FROM ${table} WHERE ref = $1 ORDER BY 1`, ['$PAYLOAD.ref'], { result: 'many' })] });
const ID = { id: { type: 'String', primary_key: true }, ref: { type: 'String' }, what: { type: 'String' } };
const FILES = {
  'definitions/models.json': {
    _rows: ID,
    _others: ID,
    _counts: { n: { type: 'Number', primary_key: true, auto_increment: true }, ref: { type: 'String' }, what: { type: 'String' } },
    _sums: { id: { type: 'String', primary_key: true }, total: { type: 'Number' } },
    _events: { id: { type: 'String', primary_key: true } },
    _fixed: { id: { type: 'String', primary_key: true } },
    _parts: { key: { type: 'String' }, ref: { type: 'String' }, what: { type: 'String' } },
  },
  'definitions/all.json': [
    all('rows'), all('counts'),
    { id: 'all-others', resource: 'all-others', actionables: [{ id: 1, mode: 'QUERY', result: 'many', sql_query: { connection: 'second', query: 'SELECT * FROM others WHERE ref = $1', parameters: ['$PAYLOAD.ref'] } }] },
    { id: 'all-parts', resource: 'all-parts', actionables: [{ id: 1, mode: 'QUERY', result: 'many', mongo_query: { collection: 'parts', action: 'FETCH', filter_predicate: { ref: '$PAYLOAD.ref' } } }] },
    { id: 'all-sums', resource: 'all-sums', actionables: [statement(1, 'SELECT * FROM sums', [], { result: 'many' })] },
    { id: 'begin', resource: 'begin', actionables: [statement(1, "INSERT INTO sums (id, total) VALUES ('one', 0)"), statement(2, "INSERT INTO fixed (id) VALUES ('x')"), statement(3, "INSERT INTO fixed (id) VALUES ('y')")] },
    { id: 'dep', resource: 'dep', actionables: [row(1, 'd1', { no_op: true }), numbered(2, 'd2', { ...self(1) })] },
    ...CASES.map(({ name, actionables, rest }) => later(name, actionables, { queue: { delay: 3600, retries: 6 }, ...rest })),
  ],
};

type Fault = { fail?: number; killBefore?: number; killBehind?: number; twice?: boolean };

describe('explore', function () {
  this.timeout(300000);
  it('all', async () => {
    const store = await STEP_STORES[0]!.make();
    if ('skip' in store) throw new Error(store.skip);
    const k: StepKernel = await stepKernel({ ...store, connections: { ...store.connections, second: { use: 'pglite', path: 'memory://' } } }, FILES);
    const { kernel } = k.kernel;
    const [desk] = kernel.desks(); delete process.env['NO_NOTE']; setTimeout(()=>{},0);
    await k.post('/begin', {});
    let n = 0;
    let messages = 0;
    const deliver = kernel.running.receiver;
    kernel.running.receiver = (m) => { messages++; deliver?.(m); };
    async function run({ name, body }: Case, fault: Fault) {
      const ref = `${name}-${++n}`;
      const sums0 = ((await k.post('/all-sums', {})).body as any)[0].total;
      messages = 0;
      const ans = await k.post(`/${name}`, { ref, ...body });
      if (ans.status !== 202) throw new Error(JSON.stringify([name, ans.status, ans.body]));
      const views = await desk!.list({});
      const works: Deferred[] = [];
      for (const v of views) { works.push((await desk!.show(v.id))!.work); await desk!.purge({ id: v.id }); }
      k.refuseNext(0);
      let writes = 0;
      const outs: string[] = [];
      for (const work of works) {
        let notes: readonly unknown[] = [];
        let done = false;
        let again = fault.twice === true;
        for (let attempt = 1; attempt < 8 && !done; attempt++) {
          const abort = new AbortController();
          let dead = false;
          const journal = { notes, write: (given: readonly Note[]) => {
            if (dead) return Promise.reject(new Error('dead'));
            writes++;
            if (writes === fault.killBefore) { dead = true; abort.abort(); return Promise.reject(new Error('killed')); }
            notes = JSON.parse(JSON.stringify(given));
            if (writes === fault.killBehind) { dead = true; abort.abort(); return Promise.reject(new Error('killed')); }
            return Promise.resolve();
          } };
          if (fault.fail !== undefined && attempt === 1) k.failAt(fault.fail);
          const o = await kernel.running.resume(JSON.parse(JSON.stringify(work)), attempt, abort.signal, journal as any);
          outs.push(o.done ? 'done' : o.code);
          if (o.done && again) { again = false; continue; }
          done = o.done;
          if (o.done) await o.forget?.();
        }
      }
      const rows: string[] = [];
      for (const t of ['rows', 'counts', 'others', 'parts']) for (const r of (await k.post(`/all-${t}`, { ref })).body as any) rows.push(`${t}:${r.what}`);
      const sums1 = ((await k.post('/all-sums', {})).body as any)[0].total;
      const calls = k.calls();
      const distinct = new Set(calls.map((c) => JSON.stringify(c.body)));
      return { rows: rows.sort().join(' ') + (sums1 - sums0 ? ` +${sums1 - sums0}` : ''), calls: calls.length, distinct: distinct.size, keys: new Set(calls.map((c) => c.key)).size, outs: outs.join(','), writes, messages, bodies: [...distinct] };
    }
    const bad: any[] = [];
    let schedules = 0;
    for (const c of CASES) {
      let base;
      try { base = await run(c, {}); } catch (e) { console.log(c.name, String((e as any).message)); continue; }
      console.log(c.name, JSON.stringify(base));
      const faults: Fault[] = [{ twice: true }];
      for (let i = 1; i <= base.calls; i++) faults.push({ fail: i });
      for (let i = 1; i <= base.writes; i++) faults.push({ killBefore: i }, { killBehind: i });
      for (const f of faults) {
        schedules++;
        const r = await run(c, f);
        if (r.rows !== base.rows || r.distinct !== base.distinct || r.messages < base.messages || !r.outs.endsWith('done')) { bad.push([c.name, f, r]); console.log('  BAD', JSON.stringify(f), JSON.stringify(r)); }
        else if (r.calls !== base.calls + (f.fail || f.killBefore ? 1 : 0)) console.log('  calls', JSON.stringify(f), r.calls, base.calls, r.outs, r.messages);
      }
    }
    console.log(bad.length, 'of', schedules); console.log(String(k.kernel.log.filter((r) => JSON.stringify(r.fields).includes('QRY_FAILED')).slice(0, 1).map((r) => (r.fields as any).err?.stack ?? JSON.stringify(r))));
    await k.close();
  });
});
