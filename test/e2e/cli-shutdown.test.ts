/**
 * The shutdown of `lintel serve` in its order: started work is finished or returned, idle connections delay nothing, a
 * balancer has time to react. The plugin `job-admin` prints its calls; only the last assertion waits for time.
 */
import { connect } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Running } from '../support/cli.js';
import { PLUGIN_FIXTURES, defineReturnResource } from '../support/project.js';
import { serveInProcess, waitUntilReady, serveAsChild } from '../support/serve.js';
import { startStopwatch } from '../support/stopwatch.js';

const PLUGINS = ['builtin:*', join(PLUGIN_FIXTURES, 'job-admin'), join(PLUGIN_FIXTURES, 'witness')];
const filesWith = (timeouts: object = {}): Record<string, unknown> => ({
  'definitions/a.json': [
    defineReturnResource('jobs', '$GENERATOR.JOB_ADMIN'),
    defineReturnResource('echo', '$PAYLOAD'),
  ],
  'lintel.config.json': { plugins: PLUGINS, http: { timeouts } },
});
/** Output of the plugin after it was ready, in order. */
const listEvents = (child: Running): string[] =>
  [...child.output().matchAll(/"msg":"job admin: (.*)"/g)].map(([, text]) => text ?? '').slice(2);

describe('end of lintel serve', function () {
  const { start } = serveInProcess();
  const { start: startProcess } = serveAsChild();

  it('with running work: starts no new work, finishes requests and work, then closes plugins; exit code 0', async () => {
    const child = await start(filesWith(), { env: { WORK: 'SIGUSR2' } });
    const client = await waitUntilReady(child);
    const slow = client.post('/echo', { hold: 'SIGUSR1' });
    await child.waitForOutput(/recorder holds a request/);
    const over = child.stop('SIGTERM');
    // Jobs end independently of requests, and begin to end before them.
    await child.waitForOutput(/job admin: takes no more work/);
    process.emit('SIGUSR1', 'SIGUSR1');
    expect((await slow).status).to.equal(200);
    expect(listEvents(child)).to.deep.equal(['takes no more work']);
    process.emit('SIGUSR2', 'SIGUSR2');
    expect((await over).code).to.equal(0);
    expect(listEvents(child)).to.deep.equal(['takes no more work', 'is over', 'closed']);
  });

  it('with work that takes too long: releases it, logs this, and exits with 1', async () => {
    const child = await start(filesWith({ drain: 0.3 }), { env: { WORK: 'SIGUSR2' } });
    await waitUntilReady(child);
    const { code, stdout } = await child.stop('SIGTERM');
    expect(code).to.equal(1);
    expect(listEvents(child)).to.deep.equal(['takes no more work', 'releases claims', 'closed']);
    expect(stdout).to.contain('jobs released').and.not.contain('requests aborted');
  });

  it('at the second signal: releases work immediately, and does not exit with 0', async () => {
    const child = await startProcess(filesWith(), { env: { WORK: 'SIGUSR2' } });
    await waitUntilReady(child);
    child.send('SIGTERM');
    await child.waitForOutput(/job admin: takes no more work/);
    const elapsed = startStopwatch();
    expect((await child.stop('SIGTERM')).code).to.equal(1);
    expect(elapsed()).to.be.below(1000);
    expect(listEvents(child)).to.deep.equal(['takes no more work', 'releases claims']);
  });

  it('with an open connection that sends nothing: is not delayed', async () => {
    const child = await start(filesWith());
    const { url } = await waitUntilReady(child);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    // The server has received it once it responds to a later one.
    await fetch(`${url}/status/live`).then((answer) => answer.text());
    const elapsed = startStopwatch();
    const closed = once(socket, 'close');
    expect((await child.stop('SIGTERM')).code).to.equal(0);
    expect(elapsed()).to.be.below(4000);
    await closed;
  });

  it('during `linger`: is not ready, and responds to requests on connections that it then closes', async () => {
    const child = await start(filesWith({ linger: 1 }));
    const client = await waitUntilReady(child);
    const over = child.stop('SIGTERM');
    await child.waitForOutput(/"msg":"closing"/);
    const [status, answer] = [await client.request('GET', '/status/ready'), await client.post('/echo', { a: 1 })];
    expect([status.status, answer.status, answer.body]).to.deep.equal([503, 200, { a: 1 }]);
    expect(answer.headers.get('connection')).to.equal('close');
    expect((await over).code).to.equal(0);
  });
});
