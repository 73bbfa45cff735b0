/**
 * Work that the clock begins in three processes: each instant once, also while processes are killed and replaced; never two
 * runs at a time; gone with its definition. Rows tell when which process ran what; a beat of its own tells that time goes on.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { JobView } from '../../kernel/contract/deferred.js';
import { startCluster, type Cluster, type Member } from '../support/cluster.js';
import { pause } from '../support/guarded.js';
import { startHeldUpstream, type HeldUpstream } from '../support/held-upstream.js';
import { eventually } from '../support/jobs.js';
import { openQueue } from '../support/queues.js';

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
  // Who puts nothing off any more does not look at the queue either: what waits there stays as it is.
  { id: 'other', resource: 'other', actionables: [{ ...LATER.actionables[0] }] },
  {
    id: 'beats',
    resource: 'beats',
    actionables: [
      { id: 1, mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT name, at, who FROM beats ORDER BY row' } },
    ],
  },
];
const GOES = [
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
  describe(`schedules of three processes (${ledger})`, function () {
    this.timeout(60_000);
    let cluster: Cluster;
    let upstream: HeldUpstream;

    before(async function () {
      upstream = await startHeldUpstream();
      const found = await startCluster({
        files: { 'definitions/_beat.json': MODEL, 'definitions/stays.json': STAYS, 'definitions/goes.json': GOES },
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
      if ('skip' in found) return this.skip();
      cluster = found;
    });
    after(async () => {
      await cluster?.close();
      await upstream?.close();
    });

    const someone = (): Member => cluster.members[0]!;
    async function rows(name: string): Promise<readonly Row[]> {
      const { body } = await someone().client.post<readonly (Omit<Row, 'at'> & { at: string })[]>('/beats');
      return body.filter((row) => row.name === name).map(({ at, ...row }) => ({ ...row, at: Date.parse(at) }));
    }
    /** So many more runs of `beat`. */
    async function beats(count: number): Promise<void> {
      const before = (await rows('beat')).length;
      await eventually(
        () => rows('beat'),
        ({ length }) => length >= before + count,
      );
    }
    /** Nothing is run in the middle of a second: who is killed then holds no claim. */
    async function betweenTwo(): Promise<void> {
      for (let ms = Date.now() % 1000; ms < 450 || ms > 650; ms = Date.now() % 1000) await pause(20);
    }

    if (ledger === 'postgres')
      it('run no instant while the run before still goes on, in whichever process', async () => {
        upstream.hold(true);
        const from = upstream.calls.length;
        await eventually(
          () => upstream.calls,
          ({ length }) => length > from,
        );
        const open = upstream.calls.length;
        await beats(2);
        expect(upstream.calls).to.have.length(open);
        const skips = cluster.members.filter(({ child }) => /slow.*skipped|skipped.*slow/.test(child.output()));
        expect(skips).not.to.deep.equal([]);
        upstream.hold(false);
        await eventually(
          () => upstream.calls,
          ({ length }) => length > open,
        );
      });

    it('run each instant once, while processes are killed, started and replaced', async () => {
      const from = (await rows('tick')).length;
      await betweenTwo();
      await cluster.end(someone(), 'SIGKILL');
      await cluster.start();
      for (const member of [...cluster.members].slice(0, 2)) {
        await cluster.start();
        expect((await cluster.end(member)).code).to.equal(0);
      }
      await beats(1);
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
      expect((await rows('tick')).length).to.be.greaterThan(from + 2);
    });

    if (ledger === 'postgres')
      it('are over when their definition is gone everywhere; work that was accepted under it is kept with the reason', async () => {
        const { status, body } = await someone().client.post('/later', {});
        expect(status, JSON.stringify(body)).to.equal(202);
        await cluster.project.remove('definitions/goes.json');
        // Those who know it would do it.
        const old = [...cluster.members];
        for (const member of old) await cluster.end(member);
        const over = Date.now();
        await Promise.all([1, 2, 3].map(() => cluster.start()));
        const { queue, close } = await openQueue({ plugin: 'postgres', options: { url: cluster.database } });
        try {
          const dead = await eventually<readonly JobView[]>(
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
