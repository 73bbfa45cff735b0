/** The status page over real HTTP: alive, ready, degraded, closing; what it contains and what it does not. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { formatRequestHead, type Loose } from '../support/client.js';
import { startKernel } from '../support/kernel.js';
import { PLUGIN_FIXTURES, defineReturnResource } from '../support/project.js';

const FILES = {
  'definitions/a.json': [defineReturnResource('echo', '$PAYLOAD'), defineReturnResource('status-board', 1)],
};

describe('status page', () => {
  it('shows the served resources and the health of each plugin', async () => {
    const kernel = await startKernel({ files: FILES });
    for (const path of ['/status', '/status/ready']) {
      const { status, headers, body } = await kernel.request('GET', path);
      expect(status).to.equal(200);
      expect(headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(headers.get('x-request-id')).to.be.a('string');
      expect(body).to.deep.equal({
        live: true,
        ready: true,
        degraded: false,
        definitions: kernel.kernel.plans().hash,
        resources: 2,
        plugins: {},
      });
    }
    const live = await kernel.request('GET', '/status/live');
    expect([live.status, live.body]).to.deep.equal([200, { live: true }]);
    await kernel.close();
  });

  it('serves GET only, and only at its own paths', async () => {
    const kernel = await startKernel({ files: FILES });
    expect((await kernel.request('POST', '/status')).status).to.equal(404);
    expect((await kernel.request('GET', '/status/nothing')).status).to.equal(404);
    expect((await kernel.request('GET', '/statuses')).status).to.equal(404);
    expect((await kernel.post('/status-board', {})).body).to.equal(1);
    await kernel.close();
  });

  it('is at the path of the config or the environment', async () => {
    const configured = await startKernel({ files: FILES, config: { http: { status_path: '/_health' } } });
    expect((await configured.request('GET', '/_health/live')).status).to.equal(200);
    expect((await configured.request('GET', '/status/live')).status).to.equal(404);
    await configured.close();
    const fromEnv = await startKernel({ files: FILES, env: { STATUS_ENDPOINT: '/from-env' } });
    expect((await fromEnv.request('GET', '/from-env')).status).to.equal(200);
    await fromEnv.close();
  });

  it('reports degraded, and ready, while a definition is invalid', async () => {
    const kernel = await startKernel({ files: { ...FILES, 'definitions/b.json': '{"resource": ' }, onProblem: 'skip' });
    const { status, body } = await kernel.request<Loose>('GET', '/status');
    expect(status).to.equal(200);
    expect(body).to.include({ ready: true, degraded: true, resources: 2 });
    await kernel.close();
  });

  it('is not ready while the server closes, and requests in flight still get a response', async () => {
    const module = pathToFileURL(join(PLUGIN_FIXTURES, 'witness', 'recorder', 'runtime.js')).href;
    const recorder = (await import(module)) as { release(): void; holding(): Promise<void> };
    const kernel = await startKernel({
      files: FILES,
      config: { plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'witness')] },
    });
    const busy = conversation(kernel.server.port);
    const probe = conversation(kernel.server.port);
    const request = formatRequestHead('GET', '/status/ready');
    probe.send(request.slice(0, -2));
    const held = recorder.holding();
    const body = '{"hold":"release"}';
    busy.send(
      formatRequestHead('POST', '/echo', { 'content-type': 'application/json', 'content-length': body.length }) + body,
    );
    await held;
    const closed = kernel.close();
    // A request that began before the close still gets a response, with `Connection: close`.
    probe.send(request.slice(-2));
    const answer = await probe.ended;
    recorder.release();
    const last = await busy.ended;
    await closed;
    expect(answer)
      .to.match(/^HTTP\/1\.1 503 /)
      .and.contain('"ready":false');
    expect(last).to.match(/^HTTP\/1\.1 200 /);
    expect(last.toLowerCase()).to.contain('connection: close');
  });
});

/** A raw connection; `ended` returns all that was received once the server has closed it. */
function conversation(port: number): { send(text: string): void; readonly ended: Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  const ended = new Promise<string>((resolve) => socket.on('close', () => resolve(received)));
  return { send: (text) => void socket.write(text), ended };
}
