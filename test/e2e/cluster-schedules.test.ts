/**
 * Scheduled work of several processes: each instant once, also while processes are killed and replaced; never two runs
 * at a time; removed with its definition. Rows record which process ran what; a separate heartbeat shows the passing
 * time. A deep run uses the other ledgers: `contracts/schedulers` tests what each does.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { JobView } from '../../contract/deferred.js';
import { startCluster, type Cluster } from '../support/cluster.js';
import { pause } from '../support/guarded-server.js';
import { startPausableUpstream, type PausableUpstream } from '../support/pausable-upstream.js';
import { waitForValue } from '../support/jobs.js';
import { openQueue } from '../support/queues.js';
import { isDeep } from '../support/sample.js';
import { skipTest } from '../support/skip.js';

interface Row {
  readonly name: string;
  readonly at: number;
  readonly who: string;
}

const every = (id: string, rest: object): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, cron_job: { execution_interval: '* * * * * *' }, ...rest }],
});
const beating = (id: string): object =>
  every(id, {
    mode: 'QUERY',
    sql_query: {
      query: 'INSERT INTO beats (name, at, who) VALUES ($1, $2, $3)',
      parameters: [`$ENV.NAME_${id.toUpperCase()}`, '$DATETIME', '$ENV.MEMBER'],
    },
  });
const LATER = {
  id: 'later',
  resource: 'later',
  actionables: [
    {
      id: 1,
      mode: 'QUERY',
      queue: { delay: 1, retries: 1 },
      sql_query: {
        query: "INSERT INTO beats (name, at, who) VALUES ('later', $1, $2)",
        parameters: ['$DATETIME', '$ENV.MEMBER'],
      },
    },
  ],
};
const STAYS = [
  beating('beat'),
  // A process without deferred work does not read the queue: waiting jobs remain unchanged.
  { id: 'other', resource: 'other', actionables: [{ ...LATER.actionables[0] }] },
  {
    id: 'beats',
    resource: 'beats',
    actionables: [
      { id: 1, mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT name, at, who FROM beats ORDER BY row' } },
    ],
  },
];
const SCHEDULE = [
  beating('tick'),
  LATER,
  every('slow', {
    mode: 'HTTPREQUEST',
    http: { url: '$ENV.REMOTE/', method: 'POST', request_body: { who: '$ENV.MEMBER' } },
  }),
];
const MODEL = {
  row: { type: 'Number', primary_key: true, auto_increment: true },
  name: { type: 'String' },
  at: { type: 'DateTime' },
  who: { type: 'String' },
};

for (const ledger of ['postgres', 'redis'] as const) {
  if (ledger === 'redis' && !isDeep('kills')) continue;
  describe(`schedules of several processes (${ledger})`, function () {
    let cluster: Cluster;
    let upstream: PausableUpstream;

    before(async function () {
      upstream = await startPausableUpstream();
      const found = await startCluster({
        files: { 'definitions/_beat.json': MODEL, 'definitions/stays.json': STAYS, 'definitions/goes.json': SCHEDULE },
        size: 1,
        joined: 1,
        ...(ledger === 'postgres' && { redis: null }),
        config: {
          scheduler:
            ledger === 'redis'
              ? { use: 'redis', url: '$ENV.REDIS_URL', prefix: `schedules:${randomUUID()}:` }
              : { use: 'postgres', url: '$ENV.DATABASE_URL' },
          queue: { use: 'postgres', url: '$ENV.DATABASE_URL', backoff: 0.05, poll: 0.2 },
          outbound: { allow: [`127.0.0.1:${upstream.port}`] },
          http: { timeouts: { linger: 0 } },
        },
        env: { REMOTE: upstream.url, NAME_BEAT: 'beat', NAME_TICK: 'tick' },
      });
      if ('skip' in found) return skipTest(this, found.skip);
      cluster = found;
    });
    after(async () => {
      await cluster?.close();
      await upstream?.close();
    });

    async function rows(name: string): Promise<readonly Row[]> {
      const { client } = cluster.peers.at(-1)!;
      const { body } = await client.post<readonly (Omit<Row, 'at'> & { at: string })[]>('/beats');
      return body.filter((row) => row.name === name).map(({ at, ...row }) => ({ ...row, at: Date.parse(at) }));
    }
    /** So many more runs of `beat`. */
    async function beats(count: number): Promise<void> {
      const before = (await rows('beat')).length;
      await waitForValue(
        () => rows('beat'),
        ({ length }) => length >= before + count,
      );
    }
    /** Nothing is run in the middle of a second: a process that is killed then holds no claim. */
    async function betweenTwo(): Promise<void> {
      for (let ms = Date.now() % 1000; ms < 450 || ms > 650; ms = Date.now() % 1000) await pause(20);
    }

    it('run no instant while the previous run is active in any process', async () => {
      upstream.holdAnswers(true);
      const from = upstream.calls.length;
      await waitForValue(
        () => upstream.calls,
        ({ length }) => length > from,
      );
      const open = upstream.calls.length;
      await waitForValue(
        () => cluster.peers.filter((peer) => /slow.*skipped|skipped.*slow/.test(peer.output())),
        ({ length }) => length > 0,
      );
      expect(upstream.calls).to.have.length(open);
      upstream.holdAnswers(false);
      await waitForValue(
        () => upstream.calls,
        ({ length }) => length > open,
      );
    });

    it('run each instant once, while processes are killed, started and replaced', async () => {
      const from = (await rows('tick')).length;
      const [killed] = cluster.members;
      const replaced = cluster.peers.at(-1)!;
      await betweenTwo();
      await cluster.stopMember(killed!, 'SIGKILL');
      await cluster.start();
      await cluster.join();
      await cluster.removePeer(replaced);
      await beats(2);
      await waitForValue(
        () => rows('tick'),
        ({ length }) => length > from + 2,
      );
      for (const name of ['tick', 'beat']) {
        const found = await rows(name);
        const instants = found.map(({ at }) => at);
        expect(new Set(instants).size, 'no instant twice').to.equal(instants.length);
        expect(instants.filter((at) => at % 1000 !== 0)).to.deep.equal([]);
        expect(new Set(found.map(({ who }) => who)).size, 'in several processes').to.be.greaterThan(1);
        // Two may be due at once where everything is slow; then the later one is run.
        const gaps = instants.slice(1).map((at, index) => at - (instants[index] ?? 0));
        expect(Math.max(...gaps), 'and none is left out for long').to.be.at.most(3000);
      }
    });

    it('end when their definition is removed everywhere; accepted work remains, with the reason', async () => {
      // A process with the definition would run the job.
      for (const member of [...cluster.members]) expect((await cluster.stopMember(member)).code).to.equal(0);
      const [last] = cluster.peers;
      const { status, body } = await last!.client.post('/later', {});
      expect(status, JSON.stringify(body)).to.equal(202);
      await cluster.project.remove('definitions/goes.json');
      await cluster.removePeer(last!);
      const over = Date.now();
      await cluster.join();
      const { queue, close } = await openQueue({ plugin: 'postgres', options: { url: cluster.database } });
      try {
        const dead = await waitForValue<readonly JobView[]>(
          () => queue.list({ state: 'dead' }),
          ({ length }) => length === 1,
        );
        expect(dead[0]).to.include({ resource: 'later', attempts: 2 });
        expect(dead[0]?.failure?.code).to.equal('JOB_UNKNOWN');
      } finally {
        await close();
      }
      await beats(2);
      expect((await rows('tick')).filter(({ at }) => at > over)).to.deep.equal([]);
      expect(await rows('later')).to.deep.equal([]);
    });
  });
}
