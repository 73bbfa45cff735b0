/**
 * Three processes behind a balancer that never tries again, under load: one is told to end, all are replaced one after the
 * other, one is killed. Every request has a number; the rows of the database are the ledger.
 */
import { expect } from 'chai';
import pg from 'pg';
import { startCluster, type Cluster, type Member } from '../support/cluster.js';
import { CALLERS, startLoad, type Ledger } from '../support/load.js';
import { querying, returning } from '../support/project.js';

/** `entry` may have a number twice: only so a request that was done twice can be seen. */
const ENTRY = {
  row: { type: 'Number', primary_key: true, auto_increment: true },
  id: { type: 'Number', indexable: true },
};
/** Every column is read back: a table that grows changes the shape of what a prepared statement gives. */
const RESOURCES = [
  {
    id: 'add',
    resource: 'add',
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        sql_query: { query: 'INSERT INTO entries (id) VALUES ($1) RETURNING *', parameters: ['$PAYLOAD.id'] },
      },
      {
        id: 2,
        mode: 'QUERY',
        sql_query: { query: 'SELECT * FROM entries WHERE id = $1', parameters: ['$PAYLOAD.id'] },
      },
    ],
  },
  querying('newest', 'SELECT * FROM entries ORDER BY row DESC LIMIT 1'),
];
const FILES = {
  'definitions/_entry.json': ENTRY,
  'definitions/a.json': [...RESOURCES, returning('version', { version: 1 })],
};

async function rowsOf(url: string): Promise<Map<number, number>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; n: string }>('SELECT id, count(*) AS n FROM entries GROUP BY id');
    return new Map(rows.map(({ id, n }) => [Number(id), Number(n)]));
  } finally {
    await client.end();
  }
}

describe('processes that come and go under load', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let last = 0;

  before(async function () {
    const found = await startCluster({ files: FILES, config: { http: { timeouts: { linger: 0.5 } } } });
    if ('skip' in found) return this.skip();
    cluster = found;
  });
  after(() => cluster?.close());

  /** Everything that is sent while `work` goes on, and for a while before and after; numbers go on from test to test. */
  async function under(work: () => Promise<void>): Promise<Ledger> {
    const from = last;
    const load = startLoad((id) => cluster.client.post('/add', { id: from + id }));
    await load.more(200);
    await work();
    await load.more(200);
    const { sent, acknowledged, failed } = await load.end();
    last += sent;
    return {
      sent,
      acknowledged: acknowledged.map((id) => from + id),
      failed: failed.map(({ id, what }) => ({ id: from + id, what })),
    };
  }

  async function expectWhole({ sent, acknowledged, failed }: Ledger): Promise<void> {
    const rows = await rowsOf(cluster.database);
    expect(
      [...rows].filter(([, count]) => count > 1),
      'done twice',
    ).to.deep.equal([]);
    expect(
      acknowledged.filter((id) => !rows.has(id)),
      'answered, and not there',
    ).to.deep.equal([]);
    expect(acknowledged.length + failed.length).to.equal(sent);
  }

  const someone = (): Member => {
    const [member] = cluster.members;
    if (!member) throw new Error('nobody is there');
    return member;
  };

  it('one that is told to end loses no request, and the others take over', async () => {
    let code: number | null = -1;
    const ledger = await under(async () => void ({ code } = await cluster.end(someone())));
    expect(ledger.failed).to.deep.equal([]);
    expect(code).to.equal(0);
    await expectWhole(ledger);
    await cluster.start();
  });

  it('each replaced on its own port, one after the other: no request fails', async () => {
    const before = cluster.members.map(({ port }) => port);
    const ledger = await under(async () => {
      for (const member of [...cluster.members]) {
        expect((await cluster.end(member)).code).to.equal(0);
        await cluster.start(member.port);
      }
    });
    expect(ledger.failed).to.deep.equal([]);
    await expectWhole(ledger);
    expect(cluster.members.map(({ port }) => port)).to.deep.equal(before);
  });

  it('each replaced by one with new definitions, which come first: no request fails, the tables have grown', async () => {
    await cluster.project.write('definitions/_entry.json', { ...ENTRY, note: { type: 'String', optional: true } });
    await cluster.project.write('definitions/a.json', [...RESOURCES, returning('version', { version: 2 })]);
    const ledger = await under(async () => {
      for (const member of [...cluster.members]) {
        await cluster.start();
        expect((await cluster.end(member)).code).to.equal(0);
      }
    });
    expect(ledger.failed).to.deep.equal([]);
    await expectWhole(ledger);
    const answers = await Promise.all([1, 2, 3].map(() => cluster.client.post('/version', {})));
    expect(answers.map(({ body }) => body)).to.deep.equal([1, 2, 3].map(() => ({ version: 2 })));
    expect((await cluster.client.post('/newest', {})).body).to.include.keys('id', 'note');
  });

  it('one that is killed takes with it what it was doing, and nothing that was answered', async () => {
    const victim = someone();
    const ledger = await under(async () => {
      await cluster.end(victim, 'SIGKILL');
    });
    const rows = await rowsOf(cluster.database);
    // Cut off: nobody knows. Refused, before the balancer had noticed: certainly not done.
    const refused = ledger.failed.filter(({ what }) => what === `502 ${victim.port}: ECONNREFUSED`);
    const cut = ledger.failed.filter(({ what }) => /^502 \d+: (ECONNRESET|socket hang up)/.test(what));
    expect(refused.length + cut.length, JSON.stringify(ledger.failed)).to.equal(ledger.failed.length);
    expect(cut.every(({ what }) => what.startsWith(`502 ${victim.port}:`))).to.equal(true);
    expect(cut.length).to.be.at.most(CALLERS);
    expect(refused.filter(({ id }) => rows.has(id))).to.deep.equal([]);
    await expectWhole(ledger);
    await cluster.start(victim.port);
  });
});
