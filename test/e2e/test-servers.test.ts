/**
 * The servers that tests start: they respond, stop on request, and do not outlive a test process that was killed with
 * -9. A child process acts as the test process.
 */
import { expect } from 'chai';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import { promisify } from 'node:util';
import { startGuardedServer } from '../support/guarded-server.js';
import { startOwnRedis } from '../support/redis.js';
import { skipTest } from '../support/skip.js';
import { waitUntil } from '../support/until.js';

const run = promisify(execFile);
const SUPPORT = new URL('../support/', import.meta.url).href;

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    socket.once('connect', () => socket.destroy());
  });

describe('test servers', function () {
  it('run until they are stopped, and can start again on their port', async function () {
    const first = await startOwnRedis();
    if ('skip' in first) return skipTest(this, first.skip);
    expect(await listens(first.port)).to.equal(true);
    await first.stop();
    expect(await listens(first.port)).to.equal(false);
    const second = await startOwnRedis(first.port);
    if ('skip' in second) return skipTest(this, second.skip);
    expect(second.url).to.equal(first.url);
    await second.stop();
  });

  for (const [title, start] of [
    ['redis', `const { startRedis } = await import('${SUPPORT}redis.js'); const found = await startRedis();`],
    [
      'postgres',
      `const { startPostgres } = await import('${SUPPORT}postgres.js'); const found = await startPostgres();`,
    ],
    ['mongo', `const { startMongo } = await import('${SUPPORT}mongo.js'); const found = await startMongo();`],
  ] as const) {
    it(`end with a test process that is killed (${title})`, async function () {
      const program = `${start} console.log(JSON.stringify(found)); setInterval(() => {}, 1000);`;
      const { TEST_REDIS_URL: _redis, TEST_DATABASE_URL: _database, TEST_MONGO_URL: _mongo, ...env } = process.env;
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], { env });
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      const found = JSON.parse(String(line)) as { url?: string; skip?: string };
      if (found.url === undefined) {
        child.kill('SIGKILL');
        return skipTest(this, String(found.skip));
      }
      const port = Number(new URL(found.url).port);
      expect(await listens(port)).to.equal(true);
      child.kill('SIGKILL');
      await waitUntil(async () => !(await listens(port)));
    });
  }

  it('leave no folder and no process when they do not start', async () => {
    let folder = '';
    const failure = await startGuardedServer({
      name: 'broken',
      script: (given) => {
        folder = given;
        return 'keep sleep 600; echo "$pids" >"$dir/pids"; cp "$dir/pids" "$dir.pids"; echo no such luck; exit 3';
      },
      ready: () => Promise.reject(new Error('not there')),
    }).then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    expect(failure?.message).to.match(/^the broken server did not start/);
    expect(existsSync(folder)).to.equal(false);
    const pid = (await run('cat', [`${folder}.pids`])).stdout.trim();
    await run('rm', [`${folder}.pids`]);
    expect(pid).to.match(/^\d+$/);
    expect(existsSync(`/proc/${pid}`)).to.equal(false);
  });
});
