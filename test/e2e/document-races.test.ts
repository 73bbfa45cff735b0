/**
 * Requests on documents behave as if they ran one after another, with default settings, in every store: races of requests that go wrong
 * when they interfere. What each leaves behind is what some order leaves behind.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { documents, onEach, STORES } from '../support/databases.js';
import { countRuns } from '../support/sample.js';

const G = '$PAYLOAD.g';
const query = (id: number, mongo_query: object, rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  mongo_query,
  ...rest,
});
const chain = (id: string, ...actionables: readonly object[]): object => ({ id, resource: id, actionables });
const after = (extract: string, name: string): object => ({
  depends_on: [{ resource_id: 'self', action_ids: [1], extract_response_for: [{ extract, for: name }] }],
});
const one = { collection: '_cell', filter_predicate: { name: G } };

const FILES = {
  'definitions/models.json': [
    { _cell: { name: { type: 'String' }, n: { type: 'Number' }, unique: ['name'] } },
    { _seat: { room: { type: 'String', indexable: true }, mark: { type: 'Number', optional: true } } },
  ],
  'definitions/resources.json': [
    documents('cell', { collection: '_cell', action: 'INSERT', document: { name: G, n: 0 }, multi: 'groups' }),
    // A value that is read and written back.
    chain(
      'add',
      query(1, { ...one, action: 'FETCH' }),
      query(
        2,
        { ...one, action: 'UPDATE', parameters: ['was'], update_predicate: [{ $set: { n: { $add: ['$1', 1] } } }] },
        after('n', 'was'),
      ),
    ),
    // As many marks as there were seats: the second one finds the first.
    chain(
      'count',
      query(1, { collection: '_seat', action: 'COUNT', filter_predicate: { room: G } }),
      query(
        2,
        { collection: '_seat', action: 'INSERT', parameters: ['was'], document: { room: G, mark: '$1' } },
        after('count', 'was'),
      ),
    ),
    // Every seat that has no mark gets one, and there is a seat more.
    documents('paint', {
      collection: '_seat',
      action: 'UPDATE',
      filter_predicate: { room: G },
      upsert: true,
      update_predicate: { $inc: { mark: 1 } },
    }),
    documents('cells', { collection: '_cell', action: 'FETCH', filter_predicate: {} }, { result: 'many' }),
    documents('seats', { collection: '_seat', action: 'FETCH', filter_predicate: {} }, { result: 'many' }),
  ],
};

/** MongoDB is slow where it is emulated: many only when something of it changed. */
const RUNS = countRuns('mongo', 12, 100);
const AT_ONCE = 4;
const groups = (name: string): string[] => Array.from({ length: RUNS }, (_, n) => `${name} ${n}`);

onEach('many races of documents', STORES, { files: FILES }, (kernel) => {
  async function race(name: string, paths: readonly string[]): Promise<Record<number, number>> {
    const waiting = groups(name);
    const statuses: Record<number, number> = {};
    const work = async (): Promise<void> => {
      for (let g = waiting.pop(); g !== undefined; g = waiting.pop()) {
        const answers = await Promise.all(paths.map((path) => kernel().post(`/${path}`, { g })));
        for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return statuses;
  }
  const rows = async (path: string): Promise<readonly Loose[]> =>
    (await kernel().post<readonly Loose[]>(path, {})).body;
  const marksOf = async (): Promise<ReadonlyMap<string, unknown[]>> => {
    const found = new Map<string, unknown[]>();
    for (const { room, mark } of await rows('/seats')) {
      const known = found.get(String(room)) ?? [];
      found.set(String(room), [...known, mark].sort());
    }
    return found;
  };

  it('a value that is read and written back is counted by both', async () => {
    const all = groups('add').map((g) => ({ g }));
    expect((await kernel().post('/cell', { groups: all })).status).to.equal(200);
    expect(await race('add', ['add', 'add'])).to.deep.equal({ 200: 2 * RUNS });
    expect((await rows('/cells')).filter(({ n }) => n !== 2)).to.deep.equal([]);
  });

  it('what counts and then writes finds what the other one has written', async () => {
    expect(await race('count', ['count', 'count'])).to.deep.equal({ 200: 2 * RUNS });
    const found = await marksOf();
    expect(groups('count').filter((g) => String(found.get(g)) !== '0,1')).to.deep.equal([]);
  });

  it('a document that is made where there is none is made once', async () => {
    expect(await race('paint', ['paint', 'paint'])).to.deep.equal({ 200: 2 * RUNS });
    const found = await marksOf();
    expect(groups('paint').filter((g) => String(found.get(g)) !== '2')).to.deep.equal([]);
  });
});
