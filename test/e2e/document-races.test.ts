/**
 * Requests on documents behave as if they ran one after another, with default settings, in every store: races of
 * requests that fail when they interfere. The result of each equals that of some serial order.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { defineDocumentResource, describeOnEach, STORES } from '../support/databases.js';
import { countRuns, isDeep } from '../support/sample.js';

const G = '$PAYLOAD.g';
const ALL = { $in: '$PAYLOAD.names' };
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

const FILES = {
  'definitions/models.json': [
    { _cell: { name: { type: 'String' }, n: { type: 'Number' }, unique: ['name'] } },
    { _seat: { room: { type: 'String', indexable: true }, mark: { type: 'Number', optional: true } } },
  ],
  'definitions/resources.json': [
    defineDocumentResource('cell', {
      collection: '_cell',
      action: 'INSERT',
      document: { name: G, n: 0 },
      multi: 'groups',
    }),
    // A value that is read and written back.
    chain(
      'add',
      query(1, { collection: '_cell', filter_predicate: { name: ALL }, action: 'FETCH' }, { result: 'many' }),
      query(
        2,
        {
          ...{ collection: '_cell', filter_predicate: { name: ALL }, action: 'UPDATE', parameters: ['was'] },
          update_predicate: [{ $set: { n: { $add: ['$1', 1] } } }],
        },
        after('0.n', 'was'),
      ),
    ),
    // As many marks as there were seats: the second one finds the first.
    chain(
      'count',
      query(1, { collection: '_seat', action: 'COUNT', filter_predicate: { room: ALL } }),
      query(
        2,
        {
          collection: '_seat',
          action: 'INSERT',
          parameters: ['was'],
          document: { room: G, mark: '$1' },
          multi: 'groups',
        },
        after('count', 'was'),
      ),
    ),
    // Every seat that has no mark gets one, and there is a seat more.
    defineDocumentResource('paint', {
      collection: '_seat',
      action: 'UPDATE',
      filter_predicate: { room: G },
      upsert: true,
      update_predicate: { $inc: { mark: 1 } },
      multi: 'groups',
    }),
    defineDocumentResource('cells', { collection: '_cell', action: 'FETCH', filter_predicate: {} }, { result: 'many' }),
    defineDocumentResource('seats', { collection: '_seat', action: 'FETCH', filter_predicate: {} }, { result: 'many' }),
  ],
};

/** Documents of each of the three kinds, for a thousand races. */
const MANY = 334;
/** The documents of one request: only one unless the sources of the stores have changed. */
const SIZE = isDeep('mongo') ? 1 : 6;
const AT_ONCE = 4;

describeOnEach('document races', STORES, { files: FILES }, (kernel, store) => {
  // MongoDB is slow where it is emulated.
  const count = store === 'mongodb' ? countRuns('mongo', 48, MANY) : countRuns('races', 96, MANY);
  const groups = (name: string): string[] => Array.from({ length: count }, (_, n) => `${name} ${n}`);
  const all = 2 * Math.ceil(count / SIZE);

  /** Each request twice at once, some of them in parallel. */
  async function race(name: string): Promise<Record<number, number>> {
    const waiting = groups(name);
    const statuses: Record<number, number> = {};
    const work = async (): Promise<void> => {
      while (waiting.length > 0) {
        const names = waiting.splice(0, SIZE);
        const body = { names, groups: names.map((g) => ({ g })) };
        const answers = await Promise.all([0, 1].map(() => kernel().post(`/${name}`, body)));
        for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return statuses;
  }
  const rows = async (path: string): Promise<readonly Loose[]> =>
    (await kernel().post<readonly Loose[]>(path, {})).body;
  const readMarks = async (): Promise<ReadonlyMap<string, unknown[]>> => {
    const found = new Map<string, unknown[]>();
    for (const { room, mark } of await rows('/seats')) {
      const known = found.get(String(room)) ?? [];
      found.set(String(room), [...known, mark].sort());
    }
    return found;
  };

  it('count both updates of a value that is read and written back', async () => {
    const cells = groups('add').map((g) => ({ g }));
    expect((await kernel().post('/cell', { groups: cells })).status).to.equal(200);
    expect(await race('add')).to.deep.equal({ 200: all });
    expect((await rows('/cells')).filter(({ n }) => n !== 2)).to.deep.equal([]);
  });

  it('let a request that counts and then writes find the document of the other request', async () => {
    expect(await race('count')).to.deep.equal({ 200: all });
    const found = await readMarks();
    // The second request finds as many seats as the first one created.
    const countExpectedSeats = (n: number): number => Math.min(SIZE, count - SIZE * Math.floor(n / SIZE));
    const wrong = groups('count').filter((g, n) => String(found.get(g)) !== `0,${countExpectedSeats(n)}`);
    expect(wrong).to.deep.equal([]);
  });

  it('create a missing document once', async () => {
    expect(await race('paint')).to.deep.equal({ 200: all });
    const found = await readMarks();
    expect(groups('paint').filter((g) => String(found.get(g)) !== '2')).to.deep.equal([]);
  });
});
