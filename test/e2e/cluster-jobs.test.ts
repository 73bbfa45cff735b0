/**
 * Deferred work of several processes on one queue: killed during a job, stopped, stopped twice, paused for longer than
 * a lease. Another service and a table are the ledgers of effects. PostgreSQL is the store; a deep run uses the others
 * too, since `contracts/queues*` test what each store does.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { JobView } from '../../contract/deferred.js';
import { startCluster, type Cluster, type Member, type Peer } from '../support/cluster.js';
import type { Answer, Loose } from '../support/client.js';
import { startPausableUpstream, type PausedCall, type PausableUpstream } from '../support/pausable-upstream.js';
import { startLoad } from '../support/load.js';
import { createMongoDatabase, startMongo } from '../support/mongo.js';
import { openQueue, type OpenedQueue } from '../support/queues.js';
import { waitUntil } from '../support/until.js';
import { startRedis } from '../support/redis.js';
import { isDeep } from '../support/sample.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';

const ENTRY = {
  row: { type: 'Number', primary_key: true, auto_increment: true },
  id: { type: 'Number', indexable: true },
};
const FILES = {
  'definitions/_entry.json': ENTRY,
  'definitions/a.json': [
    {
      id: 'call',
      resource: 'call',
      run_in_background: true,
      actionables: [
        {
          id: 1,
          mode: 'HTTPREQUEST',
          http: {
            url: '$ENV.REMOTE/work',
            method: 'POST',
            request_body: { who: '$ENV.MEMBER', made: '$GENERATOR.ULID', n: '$PAYLOAD.n' },
          },
        },
      ],
    },
    {
      id: 'note',
      resource: 'note',
      run_in_background: true,
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: { query: 'INSERT INTO entries (id) VALUES ($1)', parameters: ['$PAYLOAD.id'] },
        },
      ],
    },
    {
      id: 'entries',
      resource: 'entries',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          result: 'many',
          sql_query: { query: 'SELECT id, count(*) AS n FROM entries GROUP BY id' },
        },
      ],
    },
  ],
};

/** Work that a process does at once. */
const CONCURRENCY = 2;
const TURNS = { concurrency: CONCURRENCY, lease: 2, backoff: 0.05, poll: 0.2 };

interface Chosen {
  readonly url: string;
  readonly options: Loose;
}
const STORES: Readonly<Record<string, () => Promise<Chosen | { readonly skip: string }>>> = {
  postgres: () => Promise.resolve({ url: '', options: {} }),
  async redis() {
    const found = await startRedis();
    return 'skip' in found ? found : { url: found.url, options: { prefix: `jobs:${randomUUID()}:` } };
  },
  async mongo() {
    const found = await startMongo();
    return 'skip' in found ? found : { url: await createMongoDatabase(), options: {} };
  },
};

for (const [store, choose] of Object.entries(STORES)) {
  if (store !== 'postgres' && !isDeep('kills')) continue;
  describe(`processes on one queue (${store})`, function () {
    let cluster: Cluster;
    let upstream: PausableUpstream;
    let admin: OpenedQueue | undefined;

    before(async function () {
      const chosen = await choose();
      if ('skip' in chosen) return skipTest(this, chosen.skip);
      upstream = await startPausableUpstream();
      const found = await startCluster({
        files: FILES,
        size: 2,
        joined: 1,
        redis: null,
        config: {
          queue: {
            use: store,
            url: chosen.url === '' ? '$ENV.DATABASE_URL' : '$ENV.QUEUE_URL',
            ...TURNS,
            ...chosen.options,
          },
          outbound: { allow: [`127.0.0.1:${upstream.port}`] },
          http: { timeouts: { linger: 0 } },
        },
        env: { REMOTE: upstream.url, QUEUE_URL: chosen.url },
      });
      if ('skip' in found) return skipTest(this, found.skip);
      cluster = found;
      admin = await openQueue({
        plugin: store === 'mongo' ? 'mongo, patiently' : store,
        options: { url: chosen.url || cluster.database, ...chosen.options },
      });
    });
    after(async () => {
      await admin?.close();
      await cluster?.close();
      await upstream?.close();
    });
    // The first job creates the tables of the store; an emulated server may take longer for that than a caller waits.
    before(async function () {
      for (const { client } of cluster.peers)
        await waitUntil(async () => (await client.post('/call', { n: 0 })).status === 202, 'it takes work');
    });
    beforeEach(async () => {
      upstream.holdAnswers(false);
      await noneLeft();
      upstream.clearCalls();
    });

    const jobs = async (): Promise<readonly JobView[]> => (await admin?.queue.list({})) ?? [];
    const noneLeft = (): Promise<void> => waitUntil(async () => (await jobs()).length === 0, 'all work is done');
    const called = async (count: number): Promise<void> => {
      await waitUntil(() => upstream.calls.length >= count, `${count} calls came`).catch(explain);
      expect(upstream.calls.map(formatCall)).to.have.length(count);
    };
    const formatCall = ({ caller, key }: PausedCall): string => `${caller}: ${key}`;
    const explain = (error: Error): never => {
      throw new Error(`${error.message}: ${upstream.calls.map(formatCall).join(', ') || 'none'}`, { cause: error });
    };
    const listKeys = (calls: readonly PausedCall[]): string[] => calls.map(({ key }) => key);
    const runBy = ({ name }: Peer): readonly PausedCall[] => upstream.calls.filter(({ caller }) => caller === name);
    const values = (key: string): Set<unknown> =>
      new Set(upstream.calls.filter((call) => call.key === key).map(({ body }) => (JSON.parse(body) as Loose)['made']));
    const [first, second] = [(): Member => cluster.members[0]!, (): Member => cluster.members[1]!];

    /** As much work as all do at once, and some that waits; returns the ids. All calls are held. */
    async function fill(waiting: number): Promise<string[]> {
      const { peers } = cluster;
      const places = peers.length * CONCURRENCY;
      upstream.holdAnswers(true);
      // A process that was paused considers the queue lost until it has responded again.
      for (const { name, client } of peers)
        await waitUntil(async () => (await client.request('GET', '/status/ready')).status === 200, `${name} is ready`);
      const answers: Answer<Loose>[] = [];
      // One after another: a slow process rejects jobs within a second.
      for (let n = 0; n < places + waiting; n++)
        answers.push(await peers[n % peers.length]!.client.post('/call', { n }));
      expect(answers.filter(({ status }) => status !== 202).map(({ body }) => body)).to.deep.equal([]);
      await called(places);
      for (const peer of peers) expect(runBy(peer), peer.name).to.have.length(CONCURRENCY);
      return answers.map(({ body }) => String(body['id']));
    }

    it('run the jobs of a killed one, and of one that hangs for longer than a lease, in another, under the same ids; all others run once', async () => {
      const ids = await fill(3);
      const [killed, silent] = [first(), second()];
      const taken = listKeys([...runBy(killed), ...runBy(silent)]);
      silent.child.process.kill('SIGSTOP');
      try {
        await cluster.stopMember(killed, 'SIGKILL');
        upstream.holdAnswers(false);
        await noneLeft();
      } finally {
        silent.child.process.kill('SIGCONT');
      }
      await silent.child.waitForOutput(/job lease lost: its result is not counted/);
      expect(await jobs()).to.deep.equal([]);
      const keys = listKeys(upstream.calls);
      expect([...new Set(keys)]).to.have.members(ids);
      expect(keys).to.have.members([...ids, ...taken]);
      expect([...runBy(killed), ...runBy(silent)]).to.have.length(2 * CONCURRENCY);
      // Including the values generated at acceptance.
      for (const key of taken) expect(values(key).size).to.equal(1);
    });

    it('after one signal: finishes its jobs, another process runs the waiting ones, each once', async () => {
      const ids = await fill(3);
      const leaving = first();
      const over = cluster.stopMember(leaving);
      await leaving.child.waitForOutput(/closing/);
      upstream.holdAnswers(false);
      expect((await over).code).to.equal(0);
      await noneLeft();
      expect(listKeys(upstream.calls)).to.have.members(ids);
      expect(runBy(leaving)).to.have.length(CONCURRENCY);
    });

    it('after two signals: another process starts its jobs within two seconds', async () => {
      const leaving = await cluster.start();
      await fill(0);
      const other = cluster.peers.find((peer) => peer !== leaving)!;
      for (const { answer } of runBy(other)) answer();
      await waitUntil(async () => (await jobs()).length === CONCURRENCY, 'the other has nothing to do');
      const taken = listKeys(runBy(leaving));
      leaving.child.process.kill('SIGTERM');
      await leaving.child.waitForOutput(/closing/);
      const elapsed = startStopwatch();
      const over = cluster.stopMember(leaving);
      await called(3 * CONCURRENCY);
      expect(elapsed()).to.be.lessThan(2000);
      expect((await over).code).to.equal(1);
      expect(listKeys(runBy(other).slice(CONCURRENCY))).to.have.members(taken);
      // It was handed back: no lease had to end, and the run that was broken off is not counted.
      for (const job of await jobs()) expect(job).to.include({ attempts: 1, failure: null });
      upstream.holdAnswers(false);
      await noneLeft();
    });

    if (store === 'mongo' || !isDeep('kills')) return;
    it('lose no accepted work if one is killed under load, and only its own work runs twice', async () => {
      const killed = await cluster.start();
      const load = startLoad(async (id) => {
        const answer = await cluster.client.post('/note', { id });
        return answer.status === 202 ? { ...answer, status: 200 } : answer;
      });
      await load.waitForMore(100);
      await cluster.stopMember(killed, 'SIGKILL');
      await load.waitForMore(100);
      const { acknowledged, failed } = await load.stop();
      expect(failed.filter(({ what }) => !what.startsWith('502'))).to.deep.equal([]);
      await noneLeft();
      const { body } = await cluster.client.post<readonly { id: number; n: number }[]>('/entries');
      const done = new Map(body.map(({ id, n }) => [Number(id), Number(n)]));
      expect(acknowledged.filter((id) => !done.has(id))).to.deep.equal([]);
      const doubled = [...done].filter(([, times]) => times > 1);
      expect(doubled.length, JSON.stringify(doubled)).to.be.at.most(CONCURRENCY);
    });
  });
}
