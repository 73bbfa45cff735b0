/**
 * Three processes of the same definitions, on one PostgreSQL and one Redis: effects of one apply to the others
 * immediately. One is the process of the test. Requests go directly to a selected process, without the balancer.
 */
import { expect } from 'chai';
import { startCluster, type Cluster } from '../support/cluster.js';
import type { Answer, Client, Loose } from '../support/client.js';
import { pause } from '../support/guarded-server.js';
import { createFormData, PNG_RED } from '../support/pictures.js';
import { defineQueryResource, defineReturnResource } from '../support/project.js';
import { createBearerInit, KEY } from '../support/tokens.js';
import { countStatuses, expectAll, repeatRefused } from '../support/wallet.js';
import { countRuns } from '../support/sample.js';
import { skipTest } from '../support/skip.js';

const JWT = { type: 'JWT', encryption_key: '$ENV.KEY' };
const GENERATORS = ['BSON', 'CUID', 'CUID2', 'KSUID', 'NANOID', 'SHORTUUID', 'SLUGID', 'ULID', 'UNIQID', 'UUID'];
const query = (id: number, text: string, parameters: readonly unknown[], rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query: text, parameters },
  ...rest,
});
const BALANCE = {
  resource_id: 'self',
  action_ids: [1],
  extract_response_for: [{ extract: 'balance', for: 'balance' }],
};

const FILES = {
  'definitions/_note.json': { id: { type: 'Number', primary_key: true }, text: { type: 'String' } },
  'definitions/_account.json': {
    id: { type: 'Number', primary_key: true },
    email: { type: 'String', unique: true },
    balance: { type: 'Number' },
  },
  'definitions/a.json': [
    {
      ...defineReturnResource('limited', 1),
      rate_limit: { limit: 20, identifier: '$HEADER.x-who', expires_after: 600 },
    },
    defineReturnResource('sign-in', { id: 'ada' }, { tokenize: { ...JWT, custom_claim_fields: ['id'] } }),
    defineReturnResource('me', { id: '$PROTECTED.id' }, { tokenize: JWT, protected: { extract_claims: ['id'] } }),
    {
      id: 'sign-out',
      resource: 'sign-out',
      tokenize: JWT,
      protected: {},
      invalidate_tokenize: { tokens: '$HEADER.authorization' },
    },
    defineQueryResource('note', 'SELECT id, text FROM notes WHERE id = $1', ['$PAYLOAD.id'], {
      returnables: ['id', 'text'],
      cacheable: { read_from_cache: true, duration: 600, cache_key: 'note $PAYLOAD.id' },
    }),
    defineQueryResource(
      'write',
      'INSERT INTO notes (id, text) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET text = excluded.text RETURNING text',
      ['$PAYLOAD.id', '$PAYLOAD.text'],
      { returnables: ['text'], cacheable: { invalidate_cache_keys: ['note $PAYLOAD.id'] } },
    ),
    defineQueryResource('drawn', 'SELECT CAST(random() AS text) AS n FROM pg_sleep(0.01)', [], {
      returnables: ['n'],
      cacheable: { read_from_cache: true, duration: 600, cache_key: 'drawn' },
    }),
    defineReturnResource('redraw', 1, { cacheable: { invalidate_cache_keys: ['drawn'] } }),
    defineReturnResource('ids', Object.fromEntries(GENERATORS.map((name) => [name, `$GENERATOR.${name}`]))),
    defineQueryResource('open', 'INSERT INTO accounts (id, email, balance) VALUES ($1, $2, 0) RETURNING id', [
      '$PAYLOAD.id',
      '$PAYLOAD.email',
    ]),
    {
      id: 'deposit',
      resource: 'deposit',
      actionables: [
        query(1, 'SELECT balance FROM accounts WHERE id = $1', ['$PAYLOAD.id']),
        query(
          2,
          'UPDATE accounts SET balance = $1::bigint + 1 WHERE id = $2 RETURNING balance',
          ['balance', '$PAYLOAD.id'],
          {
            depends_on: [BALANCE],
            main_returnable: true,
          },
        ),
      ],
      returnables: ['balance'],
    },
    {
      id: 'lend',
      resource: 'lend',
      actionables: [
        {
          id: 1,
          mode: 'UPLOAD',
          uploads: { allowed_mimetypes: ['image/png'], upload_folder: 'lent', expiration: 60 },
        },
      ],
    },
  ],
};

describe('three processes', function () {
  let cluster: Cluster;
  let clients: readonly Client[];
  const at = (index: number) => (): Client => {
    const client = clients[index];
    if (!client) throw new Error('no such process');
    return client;
  };
  const [a, b, c] = [at(0), at(1), at(2)];
  /** `count` requests at the same time, evenly over the processes. */
  const spread = (count: number, send: (client: Client, index: number) => Promise<Answer<Loose>>) =>
    Promise.all(Array.from({ length: count }, (_, index) => send(at(index % 3)(), index)));

  before(async function () {
    const found = await startCluster({ files: FILES, env: { KEY }, size: 2, joined: 1 });
    if ('skip' in found) return skipTest(this, found.skip);
    cluster = found;
    clients = cluster.peers.map(({ client }) => client);
  });
  after(() => cluster?.close());

  it('create the tables once when started together on an empty database', async () => {
    expect(clients).to.have.length(3);
    const made = cluster.peers.filter((peer) => peer.output().includes('tables migrated'));
    expect(made).to.have.length(1);
    expect((await a().request('GET', '/status/ready')).status).to.equal(200);
  });

  it('count together: of three times as many requests as the limit exactly a third pass', async () => {
    const answers = await spread(60, (client) => client.post('/limited', {}, { headers: { 'x-who': 'ada' } }));
    expect(countStatuses(answers, 200, 429)).to.deep.equal([20, 40]);
    const left = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => headers.get('x-ratelimit-remaining'));
    expect(left.map(Number).sort((x, y) => x - y)).to.deep.equal(Array.from({ length: 20 }, (_, index) => index));
  });

  it('reject a token that one has revoked with the next request', async () => {
    for (let round = 0; round < countRuns('kills', 4, 10); round++) {
      const token = String((await a().post('/sign-in', {})).body['token']);
      const before = await spread(3, (client) => client.post('/me', {}, createBearerInit(token)));
      expectAll(before, 200);
      expect((await a().post('/sign-out', {}, createBearerInit(token))).status).to.equal(200);
      const after = await spread(6, (client) => client.post('/me', {}, createBearerInit(token)));
      expect(countStatuses(after, 401)).to.deep.equal([6]);
    }
  });

  it('return no older cached result after one has written, however often it was cached', async () => {
    const read = async (client: Client): Promise<unknown> => (await client.post('/note', { id: 1 })).body['text'];
    await a().post('/write', { id: 1, text: 'v0' });
    for (let round = 1; round <= countRuns('kills', 8, 300); round++) {
      await Promise.all(clients.map(read));
      expect((await at(round % 3)().post('/write', { id: 1, text: `v${round}` })).status).to.equal(200);
      expect(await Promise.all(clients.map(read))).to.deep.equal([`v${round}`, `v${round}`, `v${round}`]);
    }
  });

  it('return no older text than that of the last acknowledged write, while the third writes', async () => {
    let isOver = false;
    let answered = 0;
    const watch = async (client: Client): Promise<number> => {
      let reads = 0;
      for (; !isOver; reads++) {
        const known = answered;
        expect(Number((await client.post('/note', { id: 2 })).body['text'])).to.be.at.least(known);
        await pause(2);
      }
      return reads;
    };
    await a().post('/write', { id: 2, text: '0' });
    const watching = Promise.all([watch(b()), watch(c())]);
    for (let text = 1; text <= countRuns('kills', 40, 100); text++) {
      await a().post('/write', { id: 2, text: String(text) });
      answered = text;
      // A read after the response of a write returns this text or a later one.
      const [first, second] = await Promise.all([b(), c()].map((client) => client.post('/note', { id: 2 })));
      expect([first?.body['text'], second?.body['text']]).to.deep.equal([String(text), String(text)]);
    }
    isOver = true;
    for (const reads of await watching) expect(reads).to.be.greaterThan(10);
  });

  it('compute an outdated result once for all of them, and never return a removed one', async () => {
    const before = new Set<unknown>();
    for (let round = 0; round < countRuns('kills', 30, 300); round += 1) {
      expect((await at(round % 3)().post('/redraw')).status).to.equal(200);
      const answers = await spread(6, (client) => client.post<Loose>('/drawn'));
      const values = new Set(answers.map(({ body }) => body['n']));
      expect([...values], `round ${round}`).to.have.length(1);
      for (const value of values) expect(before.has(value), `old in round ${round}`).to.equal(false);
      for (const value of values) before.add(value);
    }
  });

  it('generate identifiers that never collide', async () => {
    const answers = await spread(120, (client) => client.post('/ids', {}));
    expectAll(answers, 200);
    for (const name of GENERATORS) {
      expect(new Set(answers.map(({ body }) => body[name])).size, name).to.equal(120);
    }
  });

  it('accept one of concurrent requests for one address, and return 409 for the others', async () => {
    for (let round = 0; round < 5; round++) {
      const email = `round${round}@example.com`;
      const answers = await spread(12, (client, index) => client.post('/open', { id: 100 * round + index, email }));
      expect(countStatuses(answers, 200, 409)).to.deep.equal([1, 11]);
    }
  });

  it('lose no update between reading a balance and writing it', async () => {
    await a().post('/open', { id: 9000, email: 'balance@example.com' });
    const answers = await spread(60, (client) => repeatRefused(() => client.post('/deposit', { id: 9000 })));
    expectAll(answers, 200);
    expect((await b().post('/deposit', { id: 9000 })).body).to.deep.equal({ balance: 61 });
  });

  it('sign file URLs with the same key, also when they created the folder together', async () => {
    const part = { name: 'file', content: PNG_RED, file: 'red.png', type: 'image/png' };
    const answers = await spread(3, (client) => client.request('POST', '/lend', { body: createFormData([part]) }));
    expectAll(answers, 200);
    for (const answer of answers) {
      const url = String((answer.body as unknown as Loose[])[0]?.['url']);
      for (const client of clients) expect((await client.request('GET', url)).status).to.equal(200);
      const { status } = await b().request(
        'GET',
        url.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A')),
      );
      expect(status).to.equal(403);
    }
  });
});
