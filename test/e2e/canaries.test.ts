/**
 * Secrets and values of requests, each a unique text: after every kind of request, with all observers enabled, none of
 * them is found in a log, in the metrics, in a trace, in a response that does not belong to the caller, or in the
 * output of the command line. The cases are in `test/support/canary-features.ts`.
 */
import { expect } from 'chai';
import { runCli } from '../support/cli.js';
import type { Client } from '../support/client.js';
import { getCanaries, getCanary, FEATURES, JOIN_LATER, type CanaryCall } from '../support/canary-features.js';
import { startCollector, type Collector } from '../support/collector.js';
import { waitForValue } from '../support/jobs.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { waitUntilReady, serveAsChild } from '../support/serve.js';
import { connect, type SocketClient } from '../support/sockets.js';
import { skipTest } from '../support/skip.js';

/** A secret is no better hidden as Base64 or hex. */
const listEncodings = (text: string): string[] => [
  text,
  Buffer.from(text).toString('base64').replace(/=+$/, ''),
  Buffer.from(text).toString('base64url'),
  Buffer.from(text).toString('hex'),
];
/** The start of a canary contains its name; half of a truncated one is as bad as the whole. */
const KEPT = 20;

const mergeParts = <T>(parts: readonly Readonly<Record<string, T>>[]): Record<string, T> =>
  Object.fromEntries(parts.flatMap((part) => Object.entries(part)));

/** What a statement of a resource may not do itself. */
const FUNCTIONS = `
  CREATE FUNCTION run_text(query text) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE found text; BEGIN EXECUTE query INTO found; RETURN found; END $$;
  CREATE FUNCTION end_session() RETURNS boolean LANGUAGE sql AS 'SELECT pg_terminate_backend(pg_backend_pid())';`;

describe('secrets (canaries)', function () {
  const { createFolder, startIn } = serveAsChild();
  let collector: Collector | undefined;
  after(() => collector?.close());
  /** The observed texts, by place; and the allowed ones. */
  const seen: { readonly where: string; readonly text: string; readonly may: readonly string[] }[] = [];
  const kept = new Map<string, string>();
  let cwd: string;
  let env: Record<string, string>;
  let stop: () => Promise<void>;
  let client: Client & { readonly url: string };

  before(async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    collector = await startCollector();
    const address = new URL(await createPostgresDatabase());
    address.password = getCanary('databasepassword');
    env = {
      QUEUE_ENCRYPTION_KEY: getCanary('key of the queue, of 32 bytes at least'),
      DATABASE_URL: address.href,
      METRICS_TOKEN: getCanary('metricstoken'),
      COLLECTOR_KEY: getCanary('collectorkey'),
      UNUSED: getCanary('unusedvariable'),
      LOG_LEVEL: 'trace',
      ALLOWED_HTTP_METHODS: 'GET|POST',
      ...mergeParts(FEATURES.map((feature) => feature.env ?? {})),
    };
    const headers = { 'x-api-key': '$ENV.COLLECTOR_KEY' };
    const observers = {
      figures: { use: 'prometheus', token: '$ENV.METRICS_TOKEN' },
      traces: { use: 'opentelemetry', endpoint: collector.url, headers },
      timing: { use: 'server_timing' },
    };
    const sections = mergeParts(FEATURES.map(({ config }) => config ?? {}));
    const project = await createFolder({
      'lintel.config.json': { ...sections, observers },
      'migrations/1.sql': FUNCTIONS,
      ...Object.fromEntries(FEATURES.map(({ definitions }, index) => [`definitions/${index}.json`, definitions])),
    });
    cwd = project.folder;
    const child = startIn(cwd, { env });
    client = await waitUntilReady(child);
    stop = async () => {
      const { stdout, stderr } = await child.stop();
      seen.push({ where: 'the log', text: stdout, may: [] }, { where: 'stderr', text: stderr, may: [] });
    };
  });

  async function send({
    method = 'POST',
    path,
    body,
    headers = {},
    gives = [],
    keeps,
    status,
  }: CanaryCall): Promise<void> {
    const filled = Object.entries(headers).map(([name, value]): [string, string] => [
      name,
      value.replace(/\{(\w+)\}/, (_, known: string) => kept.get(known) ?? ''),
    ]);
    const content = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await client.request(method, path, {
      headers: {
        ...(content !== undefined && { 'content-type': 'application/json' }),
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        tracestate: `vendor=${getCanary('tracestate')}`,
        baggage: `user=${getCanary('baggage')}`,
        'x-forwarded-for': getCanary('forwarded'),
        referer: `https://x.test/${getCanary('referer')}`,
        ...Object.fromEntries(filled),
      },
      ...(content !== undefined && { body: content }),
    });
    expect(answer.status, `${method} ${path.slice(0, 60)}: ${answer.text.slice(0, 400)}`).to.equal(status);
    const text = `${JSON.stringify([...answer.headers])}\n${answer.text}`;
    seen.push({ where: `the answer of ${method} ${path.slice(0, 40)}`, text, may: gives });
    if (keeps === undefined) return;
    const value = String((answer.body as Record<string, unknown>)[keeps.field]);
    expect(value).to.have.length.greaterThan(40);
    kept.set(keeps.name, value);
  }

  // All in hooks: the service would be ended after a test.
  for (const { name, calls } of FEATURES) {
    before(`requests: ${name}`, async () => {
      for (const call of calls) await send(call);
    });
  }

  before('messages over connections', async () => {
    const all: SocketClient[] = [];
    const open = async (...given: Parameters<typeof connect>): Promise<SocketClient> => {
      const socket = await connect(...given);
      all.push(socket);
      return socket;
    };
    const known = { protocols: ['Authorization', kept.get('jwt') ?? ''] };
    const mine = await open(client.url, known);
    expect((await mine.sendRequest('guarded')).data).to.deep.equal({ mine: true, mail: getCanary('claim') });
    await mine.sendRequest('ruled', { mail: getCanary('socketmail'), name: 'x', n: 1 });
    await mine.sendRequest(
      getCanary('nosuch'),
      { x: getCanary('socketpayload') },
      { action: getCanary('socketaction') },
    );
    mine.send(`{"resource":"${getCanary('brokenmessage')}`);
    const other = await open(client.url, { query: `?last_id=${getCanary('lastid')}&token=${getCanary('wstoken')}` });
    const rejected = [
      await open(client.url, { protocols: ['Authorization', getCanary('wsbadtoken')] }),
      await open(client.url, { ...known, query: `?uid=${getCanary('otheruid')}` }),
    ];
    await Promise.all(rejected.map(({ closed }) => closed));
    await send(JOIN_LATER);
    await Promise.all([mine, other].map((one) => one.next(({ action }) => action === 'joined')));
    for (const socket of all) {
      const may = ['claim', 'socketaction', 'otheruid'];
      seen.push({ where: 'frames', text: JSON.stringify(socket.frames), may });
      await socket.close();
    }
  });

  before('stored jobs', async () => {
    const jobs = async (...words: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runCli(['jobs', ...words], { cwd, env });
      expect(code, stderr).to.equal(0);
      seen.push({ where: `stderr of lintel jobs ${words[0]}`, text: stderr, may: [] });
      return stdout;
    };
    const rows = await waitForValue(
      async () => JSON.parse(await jobs('list', '--format', 'json')) as readonly { id: string; state: string }[],
      (list) => list.length === 1 && list[0]?.state === 'dead',
    );
    seen.push({ where: 'lintel jobs list', text: JSON.stringify(rows) + (await jobs('list')), may: [] });
    const shown = await jobs('show', rows[0]?.id ?? '');
    // The stored request contains only what the job reads.
    seen.push({ where: 'lintel jobs show', text: shown, may: ['deadpayload'] });
    expect(shown).to.contain(getCanary('deadpayload')).and.not.contain('127.0.0.1');
  });

  before('status and metrics', async () => {
    const authorization = `Bearer ${getCanary('metricstoken')}`;
    await send({ method: 'GET', path: '/metrics', headers: { authorization }, status: 200 });
    await send({
      method: 'GET',
      path: '/metrics',
      headers: { authorization: `Bearer ${getCanary('badtoken')}` },
      status: 401,
    });
    await send({ method: 'GET', path: '/status', status: 200 });
    expect(seen.some(({ text }) => text.includes('lintel_requests_total{resource="add"'))).to.equal(true);
  });

  before('output of the command line', async () => {
    const ids = FEATURES.flatMap(({ definitions }) => definitions).flatMap((definition) =>
      'id' in definition ? [String(definition.id)] : [],
    );
    expect(ids.length).to.be.greaterThan(10);
    // The endpoints are many and each plan compiles them all: one of each feature that has secrets, in both forms.
    for (const words of [
      ['check'],
      ['check', '--format', 'json'],
      ...['cast-env', 'join', 'sign-in', 'guarded', 'guarded-paseto'].map((id) => ['plan', id]),
      ['plan', 'sign-in-paseto', '--format', 'json'],
    ]) {
      const { code, stdout, stderr } = await runCli(words, { cwd, env });
      expect(code, `${words.join(' ')}\n${stderr}${stdout}`).to.equal(0);
      seen.push({ where: `lintel ${words.join(' ')}`, text: stdout + stderr, may: [] });
    }
    const broken = await runCli(['check'], { cwd, env: { ...env, JWT_KEY: `${getCanary('shortkey').slice(0, 21)}` } });
    seen.push({ where: 'lintel check of a key too short', text: broken.stdout + broken.stderr, may: [] });
    expect(broken.stdout + broken.stderr).to.contain('TOK_KEY_SHORT');
  });

  before('state after the end', async () => {
    await stop();
    const traces = collector?.texts.join('\n') ?? '';
    expect(traces).to.contain('POST /shops/:shop');
    seen.push({ where: 'the traces', text: traces, may: [] });
    expect(seen.find(({ where }) => where === 'the log')?.text)
      .to.contain('"request failed"')
      .and.contain('"resource":"lost"');
  });

  it('are nowhere except in their expected places', () => {
    const all = getCanaries();
    expect(all.size).to.be.greaterThan(40);
    const found = [...all].flatMap(([name, value]) =>
      seen
        .filter(({ may }) => !may.includes(name))
        .filter(({ text }) => [value.slice(0, KEPT), ...listEncodings(value)].some((form) => text.includes(form)))
        .map(({ where }) => `${name} in ${where}`),
    );
    expect(found).to.deep.equal([]);
    for (const [name, token] of kept) {
      const places = seen.filter(({ where, text }) => !where.includes('/sign-in') && text.includes(token));
      expect(places.map(({ where }) => `the token ${name} in ${where}`)).to.deep.equal([]);
    }
  });

  it('are each in their expected places, so the search works', () => {
    const owed = FEATURES.flatMap(({ calls }) => calls.flatMap(({ gives = [] }) => gives));
    for (const name of owed) {
      const there = seen.some(({ text, may }) => may.includes(name) && text.includes(getCanary(name)));
      expect(there, name).to.equal(true);
    }
  });
});
