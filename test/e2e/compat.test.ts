/**
 * Definitions of a real application, written for another system, served unchanged under its profile: on an embedded database, and
 * by the command line on PostgreSQL, as its operators would do it.
 */
import { expect } from 'chai';
import pg from 'pg';
import { hostCli, runCli, type Running } from '../support/cli.js';
import { createClient, type Client } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { defineQueryResource, createTempProject, type TempProject } from '../support/project.js';
import { describeCalls } from '../support/soforotto-calls.js';
import { copyApplication, ENV, isAtHand, createSeeds, startRemoteStandIn } from '../support/soforotto.js';
import type { StandIn } from '../support/upstream.js';
import { NO_SHARED, skipTest, skipWithout } from '../support/skip.js';

const SUB0 = { profile: 'sub0', websocket: { enabled: true } };

function running<T>(what: T | undefined): T {
  if (what === undefined) throw new Error('nothing is served');
  return what;
}

describe('definitions of another system', () => {
  let kernel: TestKernel | undefined;
  let remote: StandIn | undefined;
  before(async function () {
    if (!isAtHand) return skipTest(this, NO_SHARED);
    remote = await startRemoteStandIn();
    kernel = await startKernel({
      files: {
        'definitions/seeds.json': createSeeds().map((sql, index) => defineQueryResource(`seed-${index}`, sql)),
        ...remote.files,
      },
      config: { ...SUB0, connections: { main: { use: 'pglite', path: 'memory://' } }, outbound: remote.outbound },
      env: ENV,
      prepare: copyApplication,
    });
    for (const index of createSeeds().keys()) {
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

/** Runs statements on the database of a project while nothing serves it. */
async function runSql(connectionString: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

describe('definitions of another system with lintel serve', function () {
  let project: TempProject | undefined;
  let remote: StandIn | undefined;
  let child: Running | undefined;
  let client: Client | undefined;
  let address = '';

  before(async function () {
    if (!isAtHand) return skipTest(this, NO_SHARED);
    await skipWithout(this, startPostgres());
    const url = await createPostgresDatabase();
    remote = await startRemoteStandIn();
    project = await createTempProject({
      'lintel.config.json': { ...SUB0, outbound: remote.outbound },
      ...remote.files,
    });
    const { folder } = project;
    await copyApplication(folder);
    const env = { PORT: '0', ...ENV, DATABASE_URL: url };
    const migrated = await runCli(['migrate'], { cwd: folder, env });
    expect(migrated.code, migrated.stderr).to.equal(0);
    await runSql(url, createSeeds());
    child = hostCli(['serve'], { cwd: folder, env });
    [, address = ''] = await child.waitForOutput(/ready at (http:\S+)/);
    client = createClient(address);
  });
  after(async () => {
    await child?.stop();
    await remote?.upstream.close();
    await project?.dispose();
  });

  it('serves all of its resources', () => {
    expect(child?.output() ?? '').not.to.match(/^error /m);
  });

  describeCalls(
    () => running(client),
    () => address,
    () => running(remote).upstream,
  );

  it('ends in order, and never printed a secret', async () => {
    const { code, stdout, stderr } = (await child?.stop()) ?? {};
    expect(code).to.equal(0);
    for (const secret of Object.values(ENV).slice(0, 2)) expect(`${stdout}${stderr}`).not.to.contain(secret);
  });
});
