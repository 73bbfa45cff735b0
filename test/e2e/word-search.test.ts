/**
 * A field with `fts` is searched over HTTP: plain words find the same on every SQL database and on both document
 * stores, in any case.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { defineDocumentResource, describeOnEach, SQL, STORES } from '../support/databases.js';
import type { TestKernel } from '../support/kernel.js';
import { defineQueryResource } from '../support/project.js';

const PAGES = [
  [1, 'The quick brown Fox jumps'],
  [2, 'A lazy dog, and a FOX'],
  [3, 'Brown bread; nothing else'],
  [4, 'foxtrot'],
] as const;

/** The query, and the pages that contain all of it. */
const ASKED: readonly (readonly [words: string, found: readonly number[]])[] = [
  ['fox', [1, 2]],
  ['FOX', [1, 2]],
  ['Brown', [1, 3]],
  ['dog', [2]],
  ['absent', []],
];

const MODEL = {
  id: { type: 'Number', primary_key: true },
  body: { type: 'String', fts: true },
};

const search = (kernel: () => TestKernel, path: string, rest: typeof ASKED): void => {
  it('finds plain words in any case', async () => {
    for (const [id, body] of PAGES) expect((await kernel().post('/add', { id, body })).status).to.equal(200);
    for (const [words, found] of rest) {
      const { status, body, text } = await kernel().post<Loose[]>(path, { words });
      expect(status, text).to.equal(200);
      expect(body.map(({ id }) => id).sort(), words).to.deep.equal(found);
    }
  });

  it('treats the operators of query languages as words', async () => {
    for (const words of ["fox' OR 1=1 --", 'fox & ! | (', '+fox* @@ ~"', '*', ''])
      expect((await kernel().post(path, { words })).status, words).to.equal(200);
  });
};

const ONE = "SELECT id FROM page WHERE to_tsvector('english', body) @@ plainto_tsquery('english', $1) ORDER BY id";

describeOnEach(
  'full-text search',
  SQL,
  {
    files: {
      'definitions/_page.json': MODEL,
      'definitions/add.json': defineQueryResource('add', 'INSERT INTO page (id, body) VALUES ($1, $2)', ['id', 'body']),
      'definitions/find.json': defineQueryResource('find', ONE, ['$PAYLOAD.words'], { result: 'many' }),
    },
  },
  (kernel) => search(kernel, '/find', [...ASKED, ['brown fox', [1]], ['fox, BROWN!', [1]]]),
);

describeOnEach(
  'full-text search',
  STORES,
  {
    files: {
      'definitions/_page.json': MODEL,
      'definitions/add.json': defineDocumentResource('add', {
        collection: '_page',
        action: 'INSERT',
        parameters: ['id', '$PAYLOAD.body'],
      }),
      'definitions/find.json': defineDocumentResource(
        'find',
        {
          collection: '_page',
          action: 'FETCH',
          filter_predicate: { $text: { $search: '$PAYLOAD.words' } },
          sort: { id: 1 },
        },
        { result: 'many' },
      ),
    },
  },
  // Several words are alternatives there.
  (kernel) => search(kernel, '/find', [...ASKED, ['bread dog', [2, 3]]]),
);
