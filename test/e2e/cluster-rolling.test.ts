/**
 * Three processes are replaced one after the other while requests come, work flows and clients stay connected, all through a
 * balancer that never tries again. Clients do as a browser would: who is sent away with 1001 connects again and says what it
 * saw last.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { startCluster, type Cluster } from '../support/cluster.js';
import { eventually } from '../support/jobs.js';
import { startLoad } from '../support/load.js';
import { returning } from '../support/project.js';
import { openQueue } from '../support/queues.js';
import { connect, type Frame, type SocketClient } from '../support/sockets.js';

const FILES = {
  'definitions/_entry.json': {
    row: { type: 'Number', primary_key: true, auto_increment: true },
    id: { type: 'Number', indexable: true },
  },
  'definitions/a.json': [
    returning(
      'tell',
      { n: '$PAYLOAD.n' },
      {},
      { broadcast_websocket_message: { action: 'told', broadcast_type: 'ALL' } },
    ),
    {
      id: 'later',
      resource: 'later',
      run_in_background: true,
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: { query: 'INSERT INTO entries (id) VALUES ($1)', parameters: ['$PAYLOAD.n'] },
        },
      ],
    },
    {
      id: 'entries',
      resource: 'entries',
      actionables: [{ id: 1, mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT id FROM entries' } }],
    },
  ],
};

/** A client that is there for as long as the test wants. */
interface Faithful {
  /** Numbers that it was told. */
  readonly told: readonly number[];
  /** What its connections ended with. */
  readonly codes: readonly number[];
  /** Messages that were no broadcast. */
  readonly other: readonly Frame[];
  end(): Promise<void>;
}

async function faithful(url: string): Promise<Faithful> {
  const [told, codes, other]: [number[], number[], Frame[]] = [[], [], []];
  let [over, last] = [false, ''];
  let current: SocketClient;
  const open = (): Promise<SocketClient> =>
    // Nobody may be ready to take it for a moment.
    eventually(
      () => connect(url, { query: last === '' ? '' : `?last_id=${last}` }).catch(() => null),
      (client) => client !== null,
    ) as Promise<SocketClient>;
  function take({ action, data, id, ...rest }: Frame): void {
    if (action !== 'told') return void other.push({ action, data, ...rest });
    told.push((data as { n: number }).n);
    last = id ?? last;
  }
  async function stay(): Promise<void> {
    while (!over) {
      const frame = await current.next().catch(() => null);
      if (frame !== null) take(frame);
      else if (current.socket.readyState === 3 && !over) {
        codes.push((await current.closed).code);
        current = await open();
      }
    }
  }
  current = await open();
  const staying = stay();
  return {
    told,
    codes,
    other,
    async end() {
      over = true;
      await current.close();
      await staying;
    },
  };
}

describe('processes that are replaced while clients are connected and work flows', function () {
  this.timeout(90_000);
  let cluster: Cluster;
  const clients: Faithful[] = [];
  before(async function () {
    const found = await startCluster({
      files: FILES,
      config: {
        websocket: { enabled: true },
        relay: { use: 'redis', url: '$ENV.REDIS_URL', prefix: `rolling:${randomUUID()}:`, replay: true, most: 100_000 },
        queue: { use: 'postgres', url: '$ENV.DATABASE_URL' },
        http: { timeouts: { linger: 0.5 } },
      },
    });
    if ('skip' in found) return this.skip();
    cluster = found;
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await cluster?.close();
  });

  it('no request fails, no work is lost or doubled, and every client has every message once', async () => {
    for (let n = 0; n < 9; n++) clients.push(await faithful(cluster.balancer.url));
    const load = startLoad(async (n) => {
      const answer = await cluster.client.post(n % 2 === 0 ? '/tell' : '/later', { n });
      return answer.status === 202 ? { ...answer, status: 200 } : answer;
    });
    await load.more(100);
    for (const member of [...cluster.members]) {
      expect((await cluster.end(member)).code).to.equal(0);
      await cluster.start(member.port);
    }
    await load.more(100);
    const { sent, acknowledged, failed } = await load.end();
    expect(failed).to.deep.equal([]);
    expect(acknowledged).to.have.length(sent);

    const { queue, close } = await openQueue({ plugin: 'postgres', options: { url: cluster.database } });
    await eventually(
      () => queue.list({ limit: 1 }),
      ({ length }) => length === 0,
    ).finally(close);
    const { body } = await cluster.client.post<readonly { id: number }[]>('/entries');
    const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);
    expect(sorted(body.map(({ id }) => Number(id)))).to.deep.equal(sorted(acknowledged.filter((n) => n % 2 === 1)));

    const messages = sorted(acknowledged.filter((n) => n % 2 === 0));
    for (const { told, codes, other } of clients) {
      await eventually(
        () => told,
        ({ length }) => length >= messages.length,
      );
      expect(sorted(told)).to.deep.equal(messages);
      // Sent away by those that ended, and by nobody else.
      expect(codes.filter((code) => code !== 1001)).to.deep.equal([]);
      expect(codes.length).to.be.greaterThan(0);
      expect(other).to.deep.equal([]);
    }
  });
});
