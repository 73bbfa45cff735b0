/**
 * Definitions of a real application, written for another system, served unchanged under its profile on both databases: in
 * this process, and once by the command line as its operators would do it.
 */
import { expect } from 'chai';
import pg from 'pg';
import { runCli, startCli, type Child } from '../support/child.js';
import { createClient, type Client } from '../support/client.js';
import { DATABASES, startKernel, type TestKernel } from '../support/kernel.js';
import { freshDatabase, startPostgres } from '../support/postgres.js';
import { querying, tempProject, type TempProject } from '../support/project.js';
import { describeCalls } from '../support/soforotto-calls.js';
import { copyApplication, ENV, isAtHand, seeds, standInForRemote } from '../support/soforotto.js';
import type { StandIn } from '../support/upstream.js';

const SUB0 = { profile: 'sub0', websocket: { enabled: true } };

function running<T>(what: T | undefined): T {
  if (what === undefined) throw new Error('nothing is served');
  return what;
}

for (const { name, make } of DATABASES) {
  describe(`definitions of another system (${name})`, () => {
    let kernel: TestKernel | undefined;
    let remote: StandIn | undefined;
    before(async function () {
      this.timeout(60_000);
      if (!isAtHand) return this.skip();
      const database = await make();
      if ('skip' in database) return this.skip();
      remote = await standInForRemote();
      kernel = await startKernel({
        files: {
          'definitions/seeds.json': seeds().map((sql, index) => querying(`seed-${index}`, sql)),
          ...remote.files,
        },
        config: { ...SUB0, connections: database.connections, outbound: remote.outbound },
        env: { ...ENV, ...database.env },
        prepare: copyApplication,
      });
      for (const index of seeds().keys()) {
        const seeded = await kernel.post(`/seed-${index}`, {});
        expect(seeded.status, seeded.text).to.equal(200);
      }
    });
    after(async () => {
      await kernel?.close();
      await remote?.upstream.close();
    });

    describeCalls(
      () => running(kernel),
      () => running(kernel).url,
      () => running(remote).upstream,
    );
  });
}

/** Runs statements on the database of a project while nothing serves it. */
type RunSql = (statements: readonly string[]) => Promise<void>;

const onServer =
  (connectionString: string): RunSql =>
  async (statements) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };

const inFolder =
  (folder: string): RunSql =>
  async (statements) => {
    const { PGlite } = await import('@electric-sql/pglite');
    const db = await PGlite.create(folder);
    try {
      for (const statement of statements) await db.exec(statement);
    } finally {
      await db.close();
    }
  };

for (const database of ['pglite', 'postgres'] as const) {
  describe(`definitions of another system, lintel serve (${database})`, function () {
    this.timeout(60_000);
    let project: TempProject | undefined;
    let remote: StandIn | undefined;
    let child: Child | undefined;
    let client: Client | undefined;
    let address = '';

    before(async function () {
      if (!isAtHand) return this.skip();
      if (database === 'postgres' && 'skip' in (await startPostgres())) return this.skip();
      const url = database === 'postgres' ? { DATABASE_URL: await freshDatabase() } : null;
      remote = await standInForRemote();
      project = await tempProject({
        'lintel.config.json': { ...SUB0, outbound: remote.outbound },
        ...remote.files,
      });
      const { folder } = project;
      await copyApplication(folder);
      const env = { PORT: '0', ...ENV, ...url };
      const migrated = await runCli(['migrate'], { cwd: folder, env });
      expect(migrated.code, migrated.stderr).to.equal(0);
      await (url === null ? inFolder(`${folder}/.lintel/data`) : onServer(url.DATABASE_URL))(seeds());
      child = startCli(['serve'], { cwd: folder, env });
      [, address = ''] = await child.printed(/ready at (http:\S+)/);
      client = createClient(address);
    });
    after(async () => {
      await child?.stop('SIGKILL');
      await remote?.upstream.close();
      await project?.dispose();
    });

    it('leaves none of its resources out', () => {
      expect(child?.output() ?? '').not.to.match(/^error /m);
    });

    describeCalls(
      () => running(client),
      () => address,
      () => running(remote).upstream,
    );

    it('ends in order, and never told a secret', async () => {
      const { code, stdout, stderr } = (await child?.stop()) ?? {};
      expect(code).to.equal(0);
      for (const secret of Object.values(ENV).slice(0, 2)) expect(`${stdout}${stderr}`).not.to.contain(secret);
    });
  });
}
