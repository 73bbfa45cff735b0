/**
 * Deferred work of three processes on one queue, on each store that processes can share: killed in the middle of it, asked to
 * end, asked twice, stopped for longer than a lease. Another service and a table are the ledgers of what was done.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { JobView } from '../../kernel/contract/deferred.js';
import { startCluster, type Cluster, type Member } from '../support/cluster.js';
import type { Loose } from '../support/client.js';
import { startHeldUpstream, type HeldCall, type HeldUpstream } from '../support/held-upstream.js';
import { startLoad } from '../support/load.js';
import { freshMongo, startMongo } from '../support/mongo.js';
import { openQueue, type Opened } from '../support/queues.js';
import { until } from '../support/until.js';
import { startRedis } from '../support/redis.js';

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
const LEASE = 3;
const TURNS = { concurrency: CONCURRENCY, lease: LEASE, backoff: 0.05, poll: 0.5 };

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
    return 'skip' in found ? found : { url: await freshMongo(), options: {} };
  },
};

for (const [store, choose] of Object.entries(STORES)) {
  describe(`three processes on one queue (${store})`, function () {
    this.timeout(60_000);
    let cluster: Cluster;
    let upstream: HeldUpstream;
    let desk: Opened | undefined;

    before(async function () {
      const chosen = await choose();
      if ('skip' in chosen) return this.skip();
      upstream = await startHeldUpstream();
      const found = await startCluster({
        files: FILES,
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
      if ('skip' in found) return this.skip();
      cluster = found;
      desk = await openQueue({
        plugin: store === 'mongo' ? 'mongo, patiently' : store,
        options: { url: chosen.url || cluster.database, ...chosen.options },
      });
    });
    after(async () => {
      await desk?.close();
      await cluster?.close();
      await upstream?.close();
    });
    // The first work makes what the store needs; an emulated server may take longer for that than a caller waits.
    before(async function () {
      for (const { client } of cluster.members)
        await until(async () => (await client.post('/call', { n: 0 })).status === 202, 'it takes work', 30_000);
      await noneLeft();
    });
    // Each begins with three that have nothing to do, however the one before it ended.
    beforeEach(async () => {
      upstream.hold(false);
      while (cluster.members.length < 3) await cluster.start();
      await noneLeft();
      upstream.forget();
    });

    const jobs = async (): Promise<readonly JobView[]> => (await desk?.queue.list({})) ?? [];
    const noneLeft = (): Promise<void> => until(async () => (await jobs()).length === 0, 'all work is done', 30_000);
    const called = async (count: number): Promise<void> => {
      await until(() => upstream.calls.length >= count, `${count} calls came`).catch(told);
      expect(upstream.calls.map(callOf)).to.have.length(count);
    };
    const callOf = ({ who, key }: HeldCall): string => `${who}: ${key}`;
    const told = (error: Error): never => {
      throw new Error(`${error.message}: ${upstream.calls.map(callOf).join(', ') || 'none'}`, { cause: error });
    };
    const runs = (): Map<string, number> => {
      const counts = new Map<string, number>();
      for (const { key } of upstream.calls) counts.set(key, (counts.get(key) ?? 0) + 1);
      return counts;
    };
    /** So many jobs, accepted by one process after the other; gives their ids. */
    async function accept(count: number): Promise<string[]> {
      const answers = await Promise.all(
        Array.from({ length: count }, (_, n) => cluster.members[n % 3]!.client.post('/call', { n })),
      );
      expect(answers.filter(({ status }) => status !== 202).map(({ body }) => body)).to.deep.equal([]);
      return answers.map(({ body }) => String(body['id']));
    }
    const someone = (): Member => cluster.members[0]!;
    const runBy = ({ name }: Member): readonly HeldCall[] => upstream.calls.filter(({ who }) => who === name);

    it('one is killed: what it was doing is done elsewhere under the same id, everything else once', async () => {
      upstream.hold(true);
      const ids = await accept(9);
      await called(3 * CONCURRENCY);
      const victim = someone();
      const taken = runBy(victim).map(({ key }) => key);
      expect(taken).to.have.length(CONCURRENCY);
      await cluster.end(victim, 'SIGKILL');
      upstream.hold(false);
      await noneLeft();
      expect([...runs().keys()]).to.have.members(ids);
      expect([...runs()].filter(([, times]) => times > 1)).to.have.deep.members(taken.map((key) => [key, 2]));
      // The same values, too, but for who did it.
      const values = (key: string): Set<unknown> =>
        new Set(
          upstream.calls.filter((call) => call.key === key).map(({ body }) => (JSON.parse(body) as Loose)['made']),
        );
      for (const key of taken) expect(values(key).size).to.equal(1);
      await cluster.start();
    });

    it('one is asked to end: it finishes what it does, others do what waits, each once', async () => {
      upstream.hold(true);
      const ids = await accept(9);
      await called(3 * CONCURRENCY);
      const leaving = someone();
      const over = cluster.end(leaving);
      await leaving.child.printed(/closing/);
      upstream.hold(false);
      expect((await over).code).to.equal(0);
      await noneLeft();
      expect([...runs().keys()]).to.have.members(ids);
      expect([...runs().values()].filter((times) => times > 1)).to.deep.equal([]);
      expect(runBy(leaving)).to.have.length(CONCURRENCY);
      await cluster.start();
    });

    it('one is asked twice: others begin what it did within two seconds', async () => {
      upstream.hold(true);
      await accept(1);
      await called(1);
      const [first] = upstream.calls;
      const leaving = cluster.members.find(({ name }) => name === first?.who) ?? someone();
      leaving.child.process.kill('SIGTERM');
      await leaving.child.printed(/closing/);
      const from = performance.now();
      const over = cluster.end(leaving);
      await called(2);
      expect(performance.now() - from).to.be.lessThan(2000);
      expect((await over).code).to.equal(1);
      const [, second] = upstream.calls;
      expect(second).to.include({ key: first?.key });
      expect(second?.who).not.to.equal(first?.who);
      // It was handed back: nobody had to wait for the end of a lease, and the run that was broken off is not counted.
      expect(await jobs()).to.have.length(1);
      expect((await jobs())[0]).to.include({ attempts: 1, failure: null });
      upstream.hold(false);
      await noneLeft();
      await cluster.start();
    });

    it('one is silent for longer than a lease: another does its work, and only that counts', async () => {
      upstream.hold(true);
      await accept(1);
      await called(1);
      const [first] = upstream.calls;
      const silent = cluster.members.find(({ name }) => name === first?.who) ?? someone();
      silent.child.process.kill('SIGSTOP');
      try {
        await called(2);
        upstream.calls[1]?.answer();
        await noneLeft();
      } finally {
        silent.child.process.kill('SIGCONT');
      }
      first?.answer();
      await silent.child.printed(/the lease was lost: what the work ended in is not counted/);
      expect(await jobs()).to.deep.equal([]);
      expect(upstream.calls.map(({ key }) => key)).to.deep.equal([first?.key, first?.key]);
      expect(upstream.calls[1]?.who).not.to.equal(first?.who);
    });

    if (store === 'mongo') return;
    it('one is killed under load: nothing that was accepted is lost, and doubled is only what it did', async () => {
      const load = startLoad(async (id) => {
        const answer = await cluster.client.post('/note', { id });
        return answer.status === 202 ? { ...answer, status: 200 } : answer;
      });
      await load.more(100);
      await cluster.end(someone(), 'SIGKILL');
      await load.more(100);
      const { acknowledged, failed } = await load.end();
      expect(failed.filter(({ what }) => !what.startsWith('502'))).to.deep.equal([]);
      await noneLeft();
      const { body } = await cluster.client.post<readonly { id: number; n: number }[]>('/entries');
      const done = new Map(body.map(({ id, n }) => [Number(id), Number(n)]));
      expect(acknowledged.filter((id) => !done.has(id))).to.deep.equal([]);
      const doubled = [...done].filter(([, times]) => times > 1);
      expect(doubled.length, JSON.stringify(doubled)).to.be.at.most(CONCURRENCY);
      await cluster.start();
    });
  });
}
