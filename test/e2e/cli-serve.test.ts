/** `lintel serve`: when it does not start, how it ends, and what it never prints. */
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { pickFreePort } from '../support/guarded-server.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { PLUGIN_FIXTURES, defineQueryResource, defineReturnResource } from '../support/project.js';
import { serveInProcess, waitUntilReady, serveAsChild } from '../support/serve.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';

const ECHO = { 'definitions/a.json': defineReturnResource('echo', '$PAYLOAD') };
const OBSERVED = { 'lintel.config.json': { plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'witness')] } };

describe('lintel serve', function () {
  const { start, startIn, createFolder } = serveInProcess();
  const { start: startProcess } = serveAsChild();

  describe('does not start', () => {
    it('with invalid definitions: prints every problem with its line, exits with 1, serves nothing', async () => {
      const broken = '{\n  "id": "b",\n  "resource": "b",\n  "actionables": [{ "id": 1, "mode": "RETRUN" }]\n}\n';
      const child = await start({ ...ECHO, 'definitions/b.json': broken });
      const { code, stderr, stdout } = await child.finished;
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr)
        .to.contain('definitions/b.json:4:38')
        .and.contain('Did you mean "RETURN"?')
        .and.contain('^^^^^^^^');
      expect(stderr).to.contain('KRN_BROKEN_SET').and.contain('1 error(s); nothing is served');
      expect(stderr).not.to.contain('    at ').and.not.contain('ready at');
    });

    it('with a known sample key: prints the message of the plugin, without the key', async () => {
      const guarded = {
        ...defineReturnResource('a', 1),
        tokenize: { type: 'JWT', encryption_key: '$ENV.KEY' },
        protected: {},
      };
      const child = await start({ 'definitions/a.json': guarded, '.env': 'KEY=changeme\n' });
      const { code, stderr, stdout } = await child.finished;
      expect(code).to.equal(1);
      expect(stderr).to.contain('TOK_KEY The `encryption_key` of "a" cannot be used: it is a known sample');
      expect(stderr + stdout).not.to.contain('changeme');
    });

    it('when the port is in use: prints one clear line', async () => {
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const { port } = other.address() as AddressInfo;
      const { code, stderr } = await (await start(ECHO, { env: { PORT: String(port) } })).finished;
      await new Promise((resolve) => other.close(resolve));
      expect(code).to.equal(1);
      expect(stderr).to.contain(`Cannot listen on 127.0.0.1:${port}: the port is in use.`).and.not.contain('    at ');
    });

    it('when the address does not belong to this machine', async () => {
      const { code, stderr } = await (await start(ECHO, { env: { HOST: '203.0.113.1' } })).finished;
      expect(code).to.equal(1);
      expect(stderr).to.contain('Cannot listen on 203.0.113.1:0').and.not.contain('    at ');
    });

    it('when a plugin of the config is invalid: prints the message of the loader', async () => {
      const plugins = ['builtin:*', join(PLUGIN_FIXTURES, 'broken', 'unknown-hook')];
      const files = {
        'definitions/a.json': defineReturnResource('a', '$GENERATOR.UNKNOWNHOOK'),
        'lintel.config.json': { plugins },
      };
      const { code, stderr } = await (await start(files)).finished;
      expect(code).to.equal(1);
      expect(stderr).to.contain('KRN_HOOK').and.contain('Did you mean "before-validate"?').and.not.contain('    at ');
    });
  });

  it('names the plugin that it waits for when opening takes more than a second', async () => {
    const child = await start({
      'definitions/a.json': defineReturnResource('a', '$GENERATOR.OPENHANGS'),
      'lintel.config.json': {
        plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'broken', 'open-hangs')],
        deadlines: { open: 1.2 },
      },
    });
    const { code, stdout, stderr } = await child.finished;
    expect(code).to.equal(1);
    expect(stdout).to.contain('waiting for the plugin to open').and.contain('generator:OPENHANGS');
    expect(stderr).to.contain('PLG_TIMEOUT');
  });

  describe('ends', () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      it(`on ${signal} after it responds to a request in flight, and exits with 0`, async () => {
        const child = await start({ ...ECHO, ...OBSERVED });
        const client = await waitUntilReady(child);
        const slow = client.post('/echo', { hold: 'SIGUSR2' });
        await child.waitForOutput(/recorder holds a request/);
        const over = child.stop(signal);
        await child.waitForOutput(/"msg":"closing"/);
        process.emit('SIGUSR2', 'SIGUSR2');
        const { status, headers, body } = await slow;
        expect(status).to.equal(200);
        expect(body).to.deep.equal({ hold: 'SIGUSR2' });
        expect(headers.get('x-request-id')).to.be.a('string');
        expect((await over).code).to.equal(0);
      });
    }

    it('without accepting new connections; a second signal ends it immediately', async () => {
      const child = await startProcess({ ...ECHO, ...OBSERVED });
      const client = await waitUntilReady(child);
      const lost = client.post('/echo', { hold: 'SIGUSR2' }).catch(() => 'lost');
      await child.waitForOutput(/recorder holds a request/);
      child.send('SIGTERM');
      await child.waitForOutput(/"msg":"closing"/);
      const rejected = await client
        .raw('GET /status/live HTTP/1.1\r\nhost: localhost\r\n\r\n')
        .catch((error: NodeJS.ErrnoException) => error.code);
      expect(rejected).to.match(/^ECONN(REFUSED|RESET)$/);
      expect((await child.stop('SIGTERM')).code).to.equal(1);
      expect(await lost).to.equal('lost');
    });

    it('within the time of the config: longer work is aborted and logged, and it exits with 1', async () => {
      const http = { timeouts: { drain: 0.3 } };
      const child = await start({ ...ECHO, 'lintel.config.json': { ...OBSERVED['lintel.config.json'], http } });
      const client = await waitUntilReady(child);
      const lost = client.post('/echo', { hold: 'SIGUSR2' }).catch(() => 'lost');
      await child.waitForOutput(/recorder holds a request/);
      const { code, stdout } = await child.stop('SIGTERM');
      expect([code, await lost]).to.deep.equal([1, 'lost']);
      expect(stdout).to.contain('requests aborted');
    });

    it('without losing a request of clients that retry, or executing one twice, if restarted under load', async function () {
      const server = await startPostgres();
      if ('skip' in server) return skipTest(this, server.skip);
      const env = { DATABASE_URL: await createPostgresDatabase(), PORT: String(await pickFreePort()) };
      const project = await createFolder({
        'definitions/_item.json': { id: { type: 'Number', primary_key: true } },
        'definitions/a.json': defineQueryResource('add', 'INSERT INTO items (id) VALUES ($1)', ['$PAYLOAD.id']),
      });
      let child = startIn(project.folder, { env });
      const client = await waitUntilReady(child);
      let up: Promise<unknown> = Promise.resolve();
      let [next, over, tries] = [1, false, 0];
      const statuses = new Map<number, number>();
      const work = async (): Promise<void> => {
        while (!over) {
          const id = next++;
          let status: number | undefined;
          while (status === undefined) {
            tries++;
            // A lost response in transit would make the retry a conflict.
            status = await client.post('/add', { id }).then(
              (answer) => answer.status,
              () => up.then(() => undefined),
            );
          }
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      };
      const workers = Array.from({ length: 8 }, work);
      for (let round = 0; round < 3; round++) {
        const before = next;
        while (next < before + 200) await new Promise(setImmediate);
        let open: () => void = () => undefined;
        up = new Promise<void>((resolve) => (open = resolve));
        expect((await child.stop('SIGTERM')).code).to.equal(0);
        child = startIn(project.folder, { env });
        await waitUntilReady(child);
        open();
      }
      over = true;
      await Promise.all(workers);
      expect([...statuses]).to.deep.equal([[200, next - 1]]);
      expect(tries, 'requests that met a closed door').to.be.greaterThan(next - 1);
    });

    it('immediately when nothing is in flight, though clients keep connections open', async () => {
      const child = await start(ECHO);
      const client = await waitUntilReady(child);
      await Promise.all(Array.from({ length: 10 }, () => client.post('/echo', {})));
      const elapsed = startStopwatch();
      expect((await child.stop()).code).to.equal(0);
      expect(elapsed()).to.be.lessThan(3000);
    });

    it('with its embedded data stored for the next start', async () => {
      const project = await createFolder({
        'definitions/_item.json': { id: { type: 'Number', primary_key: true }, name: { type: 'String' } },
        'definitions/a.json': [
          defineQueryResource('add', 'INSERT INTO items (id, name) VALUES ($1, $2)', ['id', 'name']),
          defineQueryResource('list', 'SELECT id, name FROM items', [], { result: 'many' }),
        ],
      });
      const first = startIn(project.folder);
      expect((await (await waitUntilReady(first)).post('/add', { id: 7, name: 'Ada' })).status).to.equal(200);
      expect((await first.stop()).code).to.equal(0);
      const client = await waitUntilReady(startIn(project.folder));
      expect((await client.post<unknown>('/list', {})).body).to.deep.equal([{ id: 7, name: 'Ada' }]);
    });
  });

  it('never prints a secret: not in the log at level trace, not on stderr, not in a response', async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    const address = new URL(await createPostgresDatabase());
    address.password = 'canary-password';
    const files = {
      ...OBSERVED,
      'definitions/_item.json': { id: { type: 'Number', primary_key: true }, code: { type: 'String', unique: true } },
      'definitions/a.json': [
        defineQueryResource('add', 'INSERT INTO items (id, code) VALUES ($1, $2)', ['id', 'code']),
        defineQueryResource('secret', 'SELECT length($1::text) AS n', ['$ENV.API_KEY']),
        defineQueryResource('cast', 'SELECT $1::int AS n', ['$PAYLOAD.v']),
        defineQueryResource('cast-env', 'SELECT $1::int AS n', ['$ENV.API_KEY']),
      ],
    };
    const env = { DATABASE_URL: address.href, API_KEY: 'canary-key', LOG_LEVEL: 'trace' };
    const child = await start(files, { env });
    const client = await waitUntilReady(child);
    const headers = { authorization: 'Bearer canary-token', cookie: 'sid=canary-cookie', 'x-api-key': 'canary-header' };
    const bodies: string[] = [];
    const send = async (path: string, body: unknown, more: Record<string, string> = {}): Promise<number> => {
      const answer = await client.post(path, body, { headers: { ...headers, ...more } });
      bodies.push(answer.text, JSON.stringify([...answer.headers]));
      return answer.status;
    };
    expect(await send('/add', { id: 1, code: 'canary-code' })).to.equal(200);
    const stored = bodies.splice(0);
    expect(stored[0]).to.contain('canary-code');
    expect(await send('/add', { id: 2, code: 'canary-code' })).to.equal(409);
    expect(await send('/add', { id: 'canary-id', code: 'c' })).to.equal(422);
    expect(await send('/secret', {})).to.equal(200);
    expect(await send('/cast', { v: 'canary-value' })).to.equal(422);
    expect(await send('/cast-env', {})).to.equal(422);
    expect(await send('/add', '{"canary-json')).to.equal(400);
    expect(await send('/canary-path?token=canary-query', {})).to.equal(404);
    expect(await send('/add', { id: 1 }, { 'x-break': '1' })).to.equal(500);
    bodies.push((await client.request('GET', '/status')).text);
    const { stdout, stderr } = await child.stop();
    // The tap's own message is the one thing that belongs into the log, and nowhere else.
    const reported = (stdout + stderr).replaceAll('canary-message-of-a-tap', '');
    for (const text of [reported, ...bodies]) expect(text).not.to.contain('canary');
    expect(stdout).to.contain('canary-message-of-a-tap');
  });
});
