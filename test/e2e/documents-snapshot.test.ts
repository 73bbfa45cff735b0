/**
 * Documents of the embedded store that take several statements to read are read as of one moment, on a PostgreSQL that other requests
 * write at the same time.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { defineDocumentResource } from '../support/databases.js';
import { describeOnPostgres } from '../support/kernel.js';

/** More than one statement reads. */
const COUNT = 1200;
const AT_ONCE = 300;

const FILES = {
  'definitions/models.json': [{ _mark: { n: { type: 'Number' } } }],
  'definitions/resources.json': [
    defineDocumentResource('fill', {
      collection: '_mark',
      action: 'INSERT',
      document: { n: '$PAYLOAD.n' },
      multi: 'items',
    }),
    // The first and the last one change together.
    defineDocumentResource(
      'turn',
      {
        collection: '_mark',
        action: 'UPDATE',
        filter_predicate: { n: { $in: [1, -1, COUNT, -COUNT] } },
        update_predicate: { $mul: { n: -1 } },
      },
      { result: 'many' },
    ),
    defineDocumentResource('all', { collection: '_mark', action: 'FETCH', filter_predicate: {} }, { result: 'many' }),
    defineDocumentResource('negative', { collection: '_mark', action: 'COUNT', filter_predicate: { n: { $lt: 0 } } }),
  ],
};

describeOnPostgres(
  'consistent reads of embedded documents',
  { files: FILES, config: { documents: { main: { use: 'embedded' } } } },
  (kernel) => {
    before(async () => {
      for (let from = 0; from < COUNT; from += AT_ONCE) {
        const items = Array.from({ length: AT_ONCE }, (_, i) => ({ n: from + i + 1 }));
        expect((await kernel().post('/fill', { items })).status).to.equal(200);
      }
    });

    it('return documents together that change together', async () => {
      let isOver = false;
      const turn = async (): Promise<void> => {
        for (let n = 0; n < 12; n++) expect((await kernel().post('/turn', {})).status).to.equal(200);
        isOver = true;
      };
      const seen: number[] = [];
      const read = async (): Promise<void> => {
        while (!isOver) {
          const { body } = await kernel().post<readonly Loose[]>('/all', {});
          seen.push(body.filter(({ n }) => Number(n) < 0).length);
        }
      };
      await Promise.all([turn(), read(), read()]);
      expect(new Set(seen)).to.have.property('size').within(1, 2);
      expect(seen.filter((n) => n === 1)).to.deep.equal([]);
      expect((await kernel().post('/negative', {})).body).to.deep.equal({ count: 0 });
    });
  },
);
