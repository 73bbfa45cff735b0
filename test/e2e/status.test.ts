/** The status page over real HTTP: alive, ready, degraded, closing; what it tells and what it does not. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { head, type Loose } from '../support/client.js';
import { startKernel } from '../support/kernel.js';
import { PLUGIN_FIXTURES, returning } from '../support/project.js';

const FILES = { 'definitions/a.json': [returning('echo', '$PAYLOAD'), returning('status-board', 1)] };

describe('the status page', () => {
  it('tells what is served and how each plugin is', async () => {
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

  it('answers GET only, and only at its own paths', async () => {
    const kernel = await startKernel({ files: FILES });
    expect((await kernel.request('POST', '/status')).status).to.equal(404);
    expect((await kernel.request('GET', '/status/nothing')).status).to.equal(404);
    expect((await kernel.request('GET', '/statuses')).status).to.equal(404);
    expect((await kernel.post('/status-board', {})).body).to.equal(1);
    await kernel.close();
  });

  it('stands where the config or the environment puts it', async () => {
    const configured = await startKernel({ files: FILES, config: { http: { status_path: '/_health' } } });
    expect((await configured.request('GET', '/_health/live')).status).to.equal(200);
    expect((await configured.request('GET', '/status/live')).status).to.equal(404);
    await configured.close();
    const fromEnv = await startKernel({ files: FILES, env: { STATUS_ENDPOINT: '/from-env' } });
    expect((await fromEnv.request('GET', '/from-env')).status).to.equal(200);
    await fromEnv.close();
  });

  it('is degraded, yet ready, while a definition is broken', async () => {
    const kernel = await startKernel({ files: { ...FILES, 'definitions/b.json': '{"resource": ' }, onProblem: 'skip' });
    const { status, body } = await kernel.request<Loose>('GET', '/status');
    expect(status).to.equal(200);
    expect(body).to.include({ ready: true, degraded: true, resources: 2 });
    await kernel.close();
  });

  it('is not ready while the server closes, and what is in flight is still answered', async () => {
    const module = pathToFileURL(join(PLUGIN_FIXTURES, 'observer', 'recorder', 'runtime.js')).href;
    const recorder = (await import(module)) as { release(): void; holding(): Promise<void> };
    const kernel = await startKernel({
      files: FILES,
      config: { plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'observer')] },
    });
    const held = recorder.holding();
    const body = '{"hold":"release"}';
    const socket = connect(kernel.server.port, '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    const ended = new Promise((resolve) => socket.on('close', resolve));
    socket.write(head('POST', '/echo', { 'content-type': 'application/json', 'content-length': body.length }) + body);
    await held;
    const closed = kernel.close();
    // The second request of a connection that is still busy: new ones are not accepted any more.
    await new Promise<void>((resolve) => socket.write(head('GET', '/status/ready'), () => resolve()));
    recorder.release();
    await Promise.all([closed, ended]);
    const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).to.deep.equal(['200', '503']);
    expect(received).to.contain('"ready":false');
    expect(received.toLowerCase()).to.contain('connection: close');
  });
});
