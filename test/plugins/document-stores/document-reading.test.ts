/**
 * Documents that a pipeline reads before it runs, and the SQL of `$text`, in the embedded document store. Without a
 * database.
 */
import { expect } from 'chai';
import type { Fault } from '../../../contract/fault.js';
import { runAggregate } from '../../../plugins/document-stores/embedded/aggregate.js';
import type { CollectionReader } from '../../../plugins/document-stores/embedded/reader.js';
import {
  formatPathLiteral,
  listSearchedFields,
  extractSearch,
} from '../../../plugins/document-stores/embedded/search.js';
import type { Document } from '../../../plugins/document-stores/kind.js';
import type { Transaction } from '../../../plugins/dialects/kind.js';

const getCode = (error: unknown): unknown => (error as Fault).code;

describe('documents that a pipeline of the embedded store reads', () => {
  const asked: unknown[] = [];
  const reader = {
    readAll: (name: string, filter: Document) => {
      asked.push([name, filter]);
      return Promise.resolve([{ _id: name, k: 1 }]);
    },
  } as unknown as CollectionReader;
  beforeEach(() => void asked.splice(0));
  const run = (...stages: Document[]): Promise<readonly Document[]> =>
    runAggregate(reader, 'c', stages, {} as unknown as Transaction);

  it('are those of its first $match, once', async () => {
    expect(await run({ $match: { k: 2 } })).to.deep.equal([{ _id: 'c', k: 1 }]);
    expect(await run({ $match: { k: 2 } }, { $match: { k: 1 } })).to.deep.equal([{ _id: 'c', k: 1 }]);
    expect(await run({ $limit: 1 }, { $match: { k: 2 } })).to.deep.equal([]);
    expect(await run()).to.deep.equal([{ _id: 'c', k: 1 }]);
    expect(asked).to.deep.equal([
      ['c', { k: 2 }],
      ['c', { k: 2 }],
      ['c', {}],
      ['c', {}],
    ]);
  });

  it('are in the collections that stages name, at any depth and each once', async () => {
    const lookup = (from: string, more: object = {}): Document => ({
      $lookup: { from, localField: 'k', foreignField: 'k', as: 'found', ...more },
    });
    const graph = { from: 'g', startWith: '$k', connectFromField: 'k', connectToField: 'k', as: 'all' };
    await run(
      lookup('a', { pipeline: [lookup('b')] }),
      { $graphLookup: graph },
      { $unionWith: 'u' },
      { $unionWith: { coll: 'v', pipeline: [lookup('w')] } },
      { $facet: { x: [lookup('y')], z: [lookup('a')] } },
    );
    expect(asked.slice(1).map((one) => (one as unknown[])[0])).to.deep.equal(['a', 'b', 'g', 'u', 'v', 'w', 'y']);
  });

  it('are none if a stage writes', async () => {
    for (const stages of [
      [{ $out: 'x' }],
      [{ $merge: { into: 'x' } }],
      [{ $lookup: { from: 'a', as: 'b', pipeline: [{ $out: 'x' }] } }],
      [{ $facet: { a: [{ $merge: 'x' }] } }],
    ])
      expect(await run(...stages).catch(getCode), JSON.stringify(stages)).to.equal('QRY_FAILED');
    expect(asked).to.deep.equal([]);
  });
});

describe('SQL for `$text`', () => {
  const parseSearchValues = (text: string): readonly unknown[] =>
    extractSearch({ $text: { $search: text } }, ['title']).search?.values ?? [];

  for (const [text, any, must, mustNot] of [
    ['red shoes', 'red shoes', [], []],
    ['red -blue shoes', 'red shoes', [], ['blue']],
    ['"red shoes" new', '', ['red shoes'], []],
    ['"a b" "c d"', '', ['a b', 'c d'], []],
    ['red -"old shoes"', 'red ', [], ['old shoes']],
    ['-x -"y z" "p q"', '', ['p q'], ['x', 'y z']],
    ['a\0b', 'a b', [], []],
  ] as const)
    it(`for ${JSON.stringify(text)}`, () => expect(parseSearchValues(text)).to.deep.equal([any, must, mustNot]));

  it('numbers its values after those of others', () => {
    const conditions = extractSearch({ $text: { $search: 'x -y' } }, ['title']).search?.conditions(4) ?? [];
    expect(conditions.map((one) => /\$\d+/.exec(one)?.[0])).to.deep.equal(['$4', '$5', '$6']);
  });

  it('contains it once, next to other conditions or inside $and', () => {
    const text = { $text: { $search: 'x' } };
    expect(extractSearch({ ...text, $comment: 'c', a: 1 }, ['t']).rest).to.deep.equal({ a: 1 });
    const inside = extractSearch({ b: 2, $and: [{ a: 1 }, text] }, ['t']);
    expect([inside.rest, inside.search?.values]).to.deep.equal([{ b: 2, $and: [{ a: 1 }, {}] }, ['x', [], []]]);
    expect(extractSearch({ a: 1, $or: [] }, ['t'])).to.deep.equal({ search: null, rest: { a: 1, $or: [] } });
    for (const [filter, fields] of [
      [{ $and: [text, text] }, ['t']],
      [text, []],
      [{ $text: 'x' }, ['t']],
      [{ $text: { $search: 5 } }, ['t']],
      [{ $text: null }, ['t']],
    ] as const) {
      let code: unknown = null;
      try {
        extractSearch(filter, fields);
      } catch (error) {
        code = getCode(error);
      }
      expect(code, JSON.stringify(filter)).to.equal('QRY_FAILED');
    }
  });

  it('searches the fields of the text index, whatever their names', () => {
    const index = { name: 'x', fields: ['a'], unique: false, partial: false, words: null };
    expect(listSearchedFields([index, { ...index, words: ['b', 'c'] }])).to.deep.equal(['b', 'c']);
    expect(listSearchedFields([index])).to.deep.equal([]);
    expect(formatPathLiteral('a"b\\c\'d')).to.equal(`'{"a\\"b\\\\c''d"}'::text[]`);
  });
});
