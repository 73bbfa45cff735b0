/**
 * The proxy of `deploy/` with the configuration that is shipped, in front of two real processes: requests reach both, the
 * client's address arrives, and replacing both under load fails no request.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { startCluster, type Cluster, type Member } from '../support/cluster.js';
import { createClient, type Client } from '../support/client.js';
import { pickFreePort, skipWithReason, findProgram, pause } from '../support/guarded-server.js';
import { startLoad } from '../support/load.js';
import { ROOT, defineReturnResource } from '../support/project.js';
import { NO_HAPROXY, skipTest } from '../support/skip.js';
import { waitUntil } from '../support/until.js';

const FILES = {
  'definitions/a.json': [
    defineReturnResource('echo', { id: '$PAYLOAD.id' }),
    defineReturnResource('who', { ip: '$HEADER.ip' }),
  ],
};

interface Proxy {
  readonly client: Client;
  /** Its log: a line for each request. */
  output(): string;
  stop(): Promise<void>;
}

/** Ends with the test; it has nothing on the disk. */
async function startProxy(haproxy: string, members: readonly Member[]): Promise<Proxy> {
  const port = await pickFreePort();
  const [first, second] = members.map((member) => `127.0.0.1:${member.port}`);
  const child = spawn(haproxy, ['-db', '-f', join(ROOT, 'deploy', 'haproxy.cfg')], {
    env: { PROXY_ADDRESS: `127.0.0.1:${port}`, LINTEL_1: first, LINTEL_2: second },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const over = once(child, 'exit');
  const client = createClient(`http://127.0.0.1:${port}`);
  const answers = (): Promise<boolean> =>
    client.request('GET', '/status/ready').then(
      ({ status }) => status === 200,
      () => false,
    );
  await waitUntil(async () => {
    if (child.exitCode !== null) throw new Error(`the proxy did not start:\n${output}`);
    return answers();
  }, 'the proxy responds');
  return {
    client,
    output: () => output,
    async stop() {
      child.kill('SIGKILL');
      await over;
    },
  };
}

describe('proxy of deploy/', function () {
  let cluster: Cluster;
  let proxy: Proxy;

  before(async function () {
    const haproxy = process.env['TEST_HAPROXY'] ?? findProgram('haproxy') ?? skipWithReason(NO_HAPROXY);
    if (typeof haproxy !== 'string') return skipTest(this, haproxy.skip);
    const config = { http: { trusted_proxies: 1, timeouts: { linger: 3 } } };
    const found = await startCluster({ files: FILES, config, size: 2 });
    if ('skip' in found) return skipTest(this, found.skip);
    cluster = found;
    proxy = await startProxy(haproxy, cluster.members);
  });
  after(async () => {
    await proxy?.stop();
    await cluster?.close();
  });

  it('passes the address of the client to Lintel, whatever headers the client sends', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    expect((await proxy.client.post('/who', {}, { headers })).body).to.deep.equal({ ip: '127.0.0.1' });
  });

  it('sends requests to both', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, id) => proxy.client.post('/echo', { id })));
    expect(answers.map(({ body }) => body['id'])).to.deep.equal(Array.from({ length: 20 }, (_, id) => id));
    expect(proxy.output())
      .to.match(/ lintel\/lintel-1 /)
      .and.match(/ lintel\/lintel-2 /);
  });

  it('fails no request while both processes are replaced, one after the other', async () => {
    // A steady stream, and not so much that the processes that start have to wait for it.
    const load = startLoad((id) => pause(20).then(() => proxy.client.post('/echo', { id })));
    await load.waitForMore(100);
    for (const member of [...cluster.members]) {
      expect((await cluster.stopMember(member)).code).to.equal(0);
      await cluster.start(member.port);
    }
    await load.waitForMore(100);
    const { sent, acknowledged, failed } = await load.stop();
    expect(failed).to.deep.equal([]);
    expect(acknowledged).to.have.length(sent);
  });
});
