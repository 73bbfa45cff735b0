/**
 * Results beyond a limit: rejected with their location in the log, not read further and not buffered; the connection
 * continues, and results within the limit are returned. On each database.
 */
import { expect } from 'chai';
import { getHeldBytes } from '../../plugins/shared/results.js';
import { SQL } from '../support/databases.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineQueryResource } from '../support/project.js';
import { chooseDatabases } from '../support/short-run.js';
import { skipTest } from '../support/skip.js';

const SERIES = 'WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 900)';
const LIMITS = { result_rows: 500, result_bytes: 200_000 };

const FILES = {
  'definitions/_note.json': { id: { type: 'Number', primary_key: true }, text: { type: 'String' } },
  'definitions/a.json': [
    defineQueryResource('rows', `${SERIES} SELECT n FROM s`),
    // As values, and as text that leaves as it is.
    defineQueryResource('bytes', `${SERIES} SELECT n, repeat('x', 1000) AS t FROM s WHERE n < 400`, [], {
      must_return_value: true,
    }),
    defineQueryResource('text', `${SERIES} SELECT n, repeat('x', 1000) AS t FROM s WHERE n < 400`),
    defineQueryResource('fine', `${SERIES} SELECT n, repeat('x', 1000) AS t FROM s WHERE n < 100`),
    {
      id: 'chain',
      resource: 'chain',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: { query: 'INSERT INTO notes (id, text) VALUES (1, $1)', parameters: ['$PAYLOAD.text'] },
        },
        { id: 2, mode: 'QUERY', sql_query: { query: `${SERIES} SELECT n FROM s`, parameters: [] } },
      ],
    },
    defineQueryResource('count', 'SELECT count(*) AS n FROM notes'),
  ],
};

for (const { name, make, config } of chooseDatabases(SQL, (one) => one.name))
  describe(`large results (${name})`, () => {
    let kernel: TestKernel;
    before(async function () {
      const url = make === null ? '' : await make();
      if (typeof url !== 'string') return skipTest(this, url.skip);
      const settings = url === '' ? { connections: { main: { use: 'pglite', path: 'memory://', ...LIMITS } } } : null;
      kernel = await startKernel({
        files: FILES,
        config: { ...(settings ?? config('$ENV.DATABASE', LIMITS)) },
        env: { DATABASE: url },
      });
    });
    after(() => kernel?.close());

    for (const path of ['rows', 'bytes', 'text'])
      it(`${path}: are rejected, with the location in the log, and the connection stays usable`, async () => {
        for (let round = 0; round < 3; round++) {
          const { status, body } = await kernel.post(`/${path}`);
          const what = path === 'rows' ? '500 rows' : '200000 bytes';
          expect([status, body['code'], body['detail']]).to.deep.equal([
            500,
            'QRY_RESULT',
            `The result has more than ${what}.`,
          ]);
          expect((await kernel.post<unknown[]>('/fine')).body).to.have.length(99);
        }
        const reported = kernel.log.filter(({ message }) => message === 'request failed').at(-1);
        expect(reported?.fields).to.include({ resource: path, action: `${path}#1` });
        expect(getHeldBytes()).to.equal(0);
      });

    it('in a chain prevent its execution, or the response states that the outcome is unknown', async () => {
      const { status, body } = await kernel.post('/chain', { text: 'a' });
      expect([status, body['code']]).to.deep.equal([500, 'QRY_RESULT']);
      const { body: count } = await kernel.post('/count');
      // The commit may travel with the last statement.
      if (count['n'] !== 0) expect(body['detail']).to.match(/not known/);
    });
  });
