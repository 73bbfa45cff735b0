/** `lintel serve` as a process: what it refuses, what it prints, how it ends, what it loads, and what it never tells. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { startCli, type Child, type RunOptions } from '../support/child.js';
import { createClient, type Client, type Loose } from '../support/client.js';
import { freshDatabase, startPostgres } from '../support/postgres.js';
import {
  copySample,
  PLUGIN_FIXTURES,
  querying,
  returning,
  ROOT,
  tempProject,
  type Files,
  type TempProject,
} from '../support/project.js';

const ECHO = { 'definitions/a.json': returning('echo', '$PAYLOAD') };
const OBSERVED = { 'lintel.config.json': { plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'observer')] } };

describe('lintel serve', function () {
  this.timeout(60_000);
  const projects: TempProject[] = [];
  const children: Child[] = [];
  afterEach(() => Promise.all(children.splice(0).map((child) => child.stop('SIGKILL'))));
  after(() => Promise.all(projects.map((project) => project.dispose())));

  async function start(files: Files, options: Omit<RunOptions, 'cwd'> & { sample?: boolean } = {}): Promise<Child> {
    const project = await tempProject(files);
    projects.push(project);
    if (options.sample === true) await copySample(project.folder);
    const env = { PORT: '0', ...options.env };
    const child = startCli(['serve'], { ...options, env, cwd: project.folder });
    children.push(child);
    return child;
  }
  const ready = async (child: Child): Promise<Client & { url: string }> => {
    const [, url = ''] = await child.printed(/ready at (http:\S+)/);
    return { ...createClient(url), url };
  };

  describe('refuses to start', () => {
    it('with a broken set: every problem with its line, exit code 1, nothing served', async () => {
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

    it('with a key that everybody knows: in the words of the plugin, and without the key', async () => {
      const guarded = { ...returning('a', 1), tokenize: { type: 'JWT', encryption_key: '$ENV.KEY' }, protected: {} };
      const child = await start({ 'definitions/a.json': guarded, '.env': 'KEY=changeme\n' });
      const { code, stderr, stdout } = await child.finished;
      expect(code).to.equal(1);
      expect(stderr).to.contain('TOK_KEY The `encryption_key` of "a" cannot be used: it is a sample');
      expect(stderr + stdout).not.to.contain('changeme');
    });

    it('when the port is taken: one clear line', async () => {
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const { port } = other.address() as AddressInfo;
      const { code, stderr } = await (await start(ECHO, { env: { PORT: String(port) } })).finished;
      await new Promise((resolve) => other.close(resolve));
      expect(code).to.equal(1);
      expect(stderr).to.contain(`Cannot listen on 127.0.0.1:${port}: the port is taken.`).and.not.contain('    at ');
    });

    it('when the address is not ours', async () => {
      const { code, stderr } = await (await start(ECHO, { env: { HOST: '203.0.113.1' } })).finished;
      expect(code).to.equal(1);
      expect(stderr).to.contain('Cannot listen on 203.0.113.1:0').and.not.contain('    at ');
    });

    it('when the database cannot be reached, without telling its password', async () => {
      const env = { DATABASE_URL: 'postgres://ada:canary-pw-31@127.0.0.1:1/wallet' };
      const child = await start({ 'definitions/a.json': querying('q', 'SELECT 1 AS one') }, { env });
      const { code, stdout, stderr } = await child.finished;
      expect(code).to.equal(1);
      expect(stderr).to.contain('nothing listens at this address').and.contain('main').and.not.contain('    at ');
      expect(stdout + stderr).not.to.contain('canary-pw');
    });

    it('when a plugin of the config is wrong, in the words of the loader', async () => {
      const plugins = ['builtin:*', join(PLUGIN_FIXTURES, 'broken', 'unknown-hook')];
      const files = {
        'definitions/a.json': returning('a', '$GENERATOR.UNKNOWNHOOK'),
        'lintel.config.json': { plugins },
      };
      const { code, stderr } = await (await start(files)).finished;
      expect(code).to.equal(1);
      expect(stderr).to.contain('KRN_HOOK').and.contain('Did you mean "before-validate"?').and.not.contain('    at ');
    });
  });

  it('names the plugin that it waits for when opening takes more than a second', async () => {
    const child = await start({
      'definitions/a.json': returning('a', '$GENERATOR.OPENHANGS'),
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

  describe('starts', () => {
    it('with the sample on embedded defaults: a table of endpoints, and a curl line that works', async () => {
      const child = await start({}, { sample: true });
      await ready(child);
      const [, line = ''] = await child.printed(/try:\n +(curl .*)\n/);
      const output = child.output();
      expect(output).to.match(/^verb +path +guard +validation +touches$/m);
      expect(output).to.match(/^POST +\/accounts\/open +open +owner, email, balance +\S/m);
      expect(output).to.match(/^POST +\/health +open +- +-$/m);
      const { stdout } = await promisify(execFile)('sh', ['-c', line]);
      expect(JSON.parse(stdout)).to.include.keys('id', 'owner', 'email', 'balance');
    });

    it('prints a curl line with the path filled in where every path has parameters', async () => {
      const rule = { payload_validation: [{ field: { who: { type: 'STRING', min_length: 3 } } }] };
      const child = await start({
        'definitions/a.json': {
          id: 'hi',
          resource: 'say/:who/now',
          actionables: [{ id: 1, mode: 'RETURN', value: 'hi $PAYLOAD.who', ...rule }],
        },
      });
      await ready(child);
      const [, line = ''] = await child.printed(/try:\n +(curl .*)\n/);
      const { stdout } = await promisify(execFile)('sh', ['-c', line]);
      expect(JSON.parse(stdout), line).to.match(/^hi \w{3,}$/);
    });

    it('prints a curl line for the query string where no verb has a body', async () => {
      const rule = { payload_validation: [{ field: { who: { type: 'STRING' } } }] };
      const child = await start({
        'definitions/a.json': {
          id: 'hi',
          resource: 'hi',
          actionables: [{ id: 1, mode: 'RETURN', value: 'hi $PAYLOAD.who', ...rule }],
        },
        'lintel.config.json': { http: { methods: ['GET'] } },
      });
      const [, line = ''] = await child.printed(/try:\n +(curl .*)\n/);
      const { stdout } = await promisify(execFile)('sh', ['-c', line]);
      expect(JSON.parse(stdout)).to.equal('hi text');
    });

    it('prints a curl line with what accessors need, where no rule says what passes', async () => {
      const value = { who: '$PAYLOAD.who.name', when: '$PAYLOAD.when', text: 'on $PAYLOAD.when' };
      const child = await start({
        'definitions/a.json': { id: 'hi', resource: 'hi', actionables: [{ id: 1, mode: 'RETURN', value }] },
      });
      const [, line = ''] = await child.printed(/try:\n +(curl .*)\n/);
      const { stdout } = await promisify(execFile)('sh', ['-c', line]);
      expect(JSON.parse(stdout)).to.deep.equal({ who: 'text', when: 'text', text: 'on text' });
    });

    it('prints no curl line that a guard would refuse', async () => {
      const guarded = { ...returning('a', 1), tokenize: { type: 'JWT', encryption_key: '$ENV.KEY' }, protected: {} };
      const env = { KEY: 'k7Qd2mZx9vRt4LsB8nWc5yHf3jPg6aUe' };
      const child = await start({ 'definitions/a.json': [guarded, returning('b', 2)] }, { env });
      const [, line = ''] = await child.printed(/try:\n +(curl .*)\n/);
      expect(child.output()).to.match(/^POST +\/a +JWT in Authorization /m);
      expect(line).to.match(/\/b /);
    });

    it('without any definition, and says so', async () => {
      const child = await start({});
      const client = await ready(child);
      expect(child.output()).to.contain('No endpoint');
      expect((await client.request('GET', '/status')).status).to.equal(200);
    });

    it('where .env says, unless the environment says otherwise', async () => {
      const fromFile = await start({ ...ECHO, '.env': 'HOST=127.0.0.2\nPORT=1\n' });
      expect((await ready(fromFile)).url).to.match(/^http:\/\/127\.0\.0\.2:\d{2,}$/);
      const fromEnv = await start({ ...ECHO, '.env': 'HOST=127.0.0.2\n' }, { env: { HOST: '127.0.0.3' } });
      expect((await ready(fromEnv)).url).to.contain('127.0.0.3');
      const empty = await start(ECHO, { env: { HOST: '' } });
      expect((await ready(empty)).url).to.contain('127.0.0.1');
    });

    it('with a log of JSON lines on stdout, people on stderr', async () => {
      const child = await start(ECHO);
      const client = await ready(child);
      const { headers } = await client.post('/echo', { a: 'canary-value' });
      const id = headers.get('x-request-id') ?? '';
      await child.printed(new RegExp(id));
      const { code, stdout } = await child.stop();
      expect(code).to.equal(0);
      const rows = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Loose);
      for (const row of rows) expect(row).to.include.keys('level', 'time', 'msg');
      const request = rows.find((row) => row['id'] === id);
      expect(request).to.include({ msg: 'request', resource: 'echo', status: 200 });
      expect(stdout).not.to.contain('canary-value');
    });

    it('with a log for people where LOG_FORMAT says so, and none of it where LOG_LEVEL says so', async () => {
      const child = await start(ECHO, { env: { LOG_FORMAT: 'pretty' } });
      await (await ready(child)).post('/echo', {});
      await child.printed(/INFO.*: request /);
      const { stdout } = await child.stop();
      expect(stdout).to.contain('ready at').and.not.contain('{"level"');
      const quiet = await start(ECHO, { env: { LOG_LEVEL: 'silent' } });
      await (await ready(quiet)).post('/echo', {});
      expect((await quiet.stop()).stdout).to.equal('');
    });

    it('importing only the plugins that are used', async () => {
      const loaded = async (files: Files): Promise<string> => {
        const project = await tempProject(files);
        projects.push(project);
        const list = join(project.folder, 'loaded.txt');
        const preload = pathToFileURL(join(ROOT, 'test', 'fixtures', 'loader', 'record.js')).href;
        const env = { PORT: '0', LOADED_MODULES: list };
        const child = startCli(['serve'], { cwd: project.folder, env, node: ['--import', preload] });
        children.push(child);
        const client = await ready(child);
        expect((await client.post('/r', {})).status).to.equal(200);
        await child.stop();
        return readFile(list, 'utf8');
      };
      const heavy = /node_modules\/(pg|pg-pool|@electric-sql|knex|ulid)\//;
      const runtimes = (text: string): string[] =>
        [...text.matchAll(/plugins\/(\w[\w-]*\/[\w-]+)\/runtime\.js/g)].map(([, name]) => name ?? '').sort();
      const plain = await loaded({ 'definitions/a.json': returning('r', 1) });
      expect(plain).to.contain('/kernel/runtime/kernel.js').and.not.match(heavy);
      expect([...new Set(runtimes(plain))]).to.deep.equal(['features/returnables', 'modes/return']);
      const generating = await loaded({ 'definitions/a.json': returning('r', '$GENERATOR.ULID') });
      expect(generating)
        .to.match(/node_modules\/ulid\//)
        .and.not.match(/node_modules\/(pg|@electric-sql|knex)\//);
      expect(runtimes(generating)).to.include('generators/ulid').and.not.include('generators/uuid');
    });
  });

  describe('ends', () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      it(`${signal} with a request in flight: it is answered, then exit code 0`, async () => {
        const child = await start({ ...ECHO, ...OBSERVED });
        const client = await ready(child);
        const slow = client.post('/echo', { hold: signal });
        await child.printed(/recorder holds a request/);
        const over = child.stop(signal);
        const { status, headers, body } = await slow;
        expect(status).to.equal(200);
        expect(body).to.deep.equal({ hold: signal });
        expect(headers.get('x-request-id')).to.be.a('string');
        expect((await over).code).to.equal(0);
      });
    }

    it('takes no new connection while it ends; a second signal ends it at once', async () => {
      const child = await start({ ...ECHO, ...OBSERVED });
      const client = await ready(child);
      const lost = client.post('/echo', { hold: 'SIGUSR2' }).catch(() => 'lost');
      await child.printed(/recorder holds a request/);
      child.process.kill('SIGTERM');
      await child.printed(/"msg":"closing"/);
      const refused = await client
        .raw('GET /status/live HTTP/1.1\r\nhost: x\r\n\r\n')
        .catch((error: NodeJS.ErrnoException) => error.code);
      expect(refused).to.match(/^ECONN(REFUSED|RESET)$/);
      expect((await child.stop('SIGTERM')).code).to.equal(1);
      expect(await lost).to.equal('lost');
    });

    it('at once when nothing is in flight, though clients keep connections open', async () => {
      const child = await start(ECHO);
      const client = await ready(child);
      await Promise.all(Array.from({ length: 10 }, () => client.post('/echo', {})));
      const started = performance.now();
      expect((await child.stop()).code).to.equal(0);
      expect(performance.now() - started).to.be.lessThan(3000);
    });

    it('keeps embedded data for the next start', async () => {
      const project = await tempProject();
      projects.push(project);
      await copySample(project.folder);
      const serve = (): Child => {
        const child = startCli(['serve'], { cwd: project.folder, env: { PORT: '0' } });
        children.push(child);
        return child;
      };
      const first = serve();
      const account = { owner: 'Ada', email: 'ada@example.com', balance: 5 };
      const { body } = await (await ready(first)).post('/accounts/open', account);
      expect((await first.stop()).code).to.equal(0);
      const again = await (await ready(serve())).post('/accounts/read', { id: body['id'] });
      expect(again.body).to.deep.include({ id: body['id'], ...account });
    });
  });

  it('never tells a secret: not in the log at its most talkative, not on stderr, not in an answer', async function () {
    const server = await startPostgres();
    if ('skip' in server) return this.skip();
    const address = new URL(await freshDatabase());
    address.password = 'canary-password';
    const files = {
      ...OBSERVED,
      'definitions/_item.json': { id: { type: 'Number', primary_key: true }, code: { type: 'String', unique: true } },
      'definitions/a.json': [
        querying('add', 'INSERT INTO items (id, code) VALUES ($1, $2)', ['id', 'code']),
        querying('secret', 'SELECT length($1::text) AS n', ['$ENV.API_KEY']),
        querying('cast', 'SELECT $1::int AS n', ['$PAYLOAD.v']),
        querying('cast-env', 'SELECT $1::int AS n', ['$ENV.API_KEY']),
      ],
    };
    const env = { DATABASE_URL: address.href, API_KEY: 'canary-key', LOG_LEVEL: 'trace' };
    const child = await start(files, { env });
    const client = await ready(child);
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
    const told = (stdout + stderr).replaceAll('canary-message-of-a-tap', '');
    for (const text of [told, ...bodies]) expect(text).not.to.contain('canary');
    expect(stdout).to.contain('canary-message-of-a-tap');
  });
});
