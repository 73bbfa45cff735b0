/**
 * While another service is slow, the database is not blocked: no transaction is open during a call. On both databases.
 */
import { expect } from 'chai';
import type { ServerResponse } from 'node:http';
import { describeOnBothDatabases } from '../support/kernel.js';
import { startUpstream, type Upstream } from '../support/upstream.js';

const MODEL = {
  id: { type: 'Number', primary_key: true, auto_increment: true },
  text: { type: 'String' },
};
const insert = (id: number, text: unknown) => ({
  id,
  mode: 'QUERY',
  sql_query: { query: 'INSERT INTO notes (text) VALUES ($1) RETURNING id', parameters: [text] },
});
const select = (id: number, query: string) => ({
  id,
  mode: 'QUERY',
  result: 'many',
  sql_query: { query, parameters: [] },
});

let upstream!: Upstream;
let held: ServerResponse[] = [];
let arrived: (() => void) | null = null;

describe('HTTPREQUEST and transactions', () => {
  before(async () => {
    upstream = await startUpstream((_req, res) => {
      held.push(res);
      arrived?.();
    });
  });
  after(() => upstream.close());

  const files = (): Record<string, unknown> => ({
    'definitions/models/_note.model.json': MODEL,
    'definitions/a.json': [
      {
        id: 'around',
        resource: 'around',
        actionables: [
          insert(1, '$PAYLOAD.text'),
          insert(2, { literal: 'second' }),
          {
            id: 3,
            mode: 'HTTPREQUEST',
            http: { url: '$ENV.REMOTE/x', method: 'POST', request_body: { text: '$PAYLOAD.text' } },
          },
          insert(4, { literal: 'behind' }),
          insert(5, { literal: 'last' }),
        ],
      },
      { id: 'notes', resource: 'notes', actionables: [select(1, 'SELECT text FROM notes ORDER BY id')] },
      {
        id: 'activity',
        resource: 'activity',
        actionables: [
          select(1, "SELECT state FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'"),
        ],
      },
    ],
  });

  // The address is known only when the suite runs.
  const options = {
    get files() {
      return files();
    },
    get env() {
      return { REMOTE: upstream.url };
    },
    config: { outbound: { allow: ['127.0.0.1'] } },
  };

  describeOnBothDatabases('calls between statements', options, (kernel, database) => {
    beforeEach(() => {
      held = [];
    });

    it('keep no transaction open: earlier writes are committed, others read and write', async () => {
      const reached = new Promise<void>((resolve) => (arrived = resolve));
      const answer = kernel().post<unknown>('/around', { text: 'first' });
      await reached;
      const during = await kernel().post<{ text: string }[]>('/notes', {});
      expect(during.body.map(({ text }) => text)).to.deep.equal(['first', 'second']);
      if (database === 'postgres') expect((await kernel().post('/activity', {})).body).to.deep.equal([]);
      held[0]!.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      expect((await answer).status).to.equal(200);
      const afterwards = await kernel().post<{ text: string }[]>('/notes', {});
      expect(afterwards.body.map(({ text }) => text)).to.deep.equal(['first', 'second', 'behind', 'last']);
    });

    it('that fail stop later actionables, and preserve committed writes', async () => {
      const reached = new Promise<void>((resolve) => (arrived = resolve));
      const answer = kernel().post('/around', { text: 'third' });
      await reached;
      held[0]!.destroy();
      const { status, body } = await answer;
      expect(status).to.equal(502);
      expect(body).to.include({ code: 'OUT_FAILED' });
      const afterwards = await kernel().post<{ text: string }[]>('/notes', {});
      expect(afterwards.body.slice(4).map(({ text }) => text)).to.deep.equal(['third', 'second']);
    });
  });
});
