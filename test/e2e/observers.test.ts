/** The observers over real HTTP: figures on a page, traces at a collector, timings in a header. What none of them tells. */
import { expect } from 'chai';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createTracing } from '../../plugins/observers/opentelemetry/tracing.js';
import { readTraceparent } from '../../plugins/observers/opentelemetry/traceparent.js';
import { runCli } from '../support/child.js';
import { startCollector, type Collector } from '../support/collector.js';
import { startKernel, type TestKernel, type TestKernelOptions } from '../support/kernel.js';
import { testInvocation } from '../support/invocation.js';
import { querying, returning, tempProject } from '../support/project.js';

const TOKEN = 'Vx7pQ2mK9sLw4RtZ8bNc';
const CONNECTIONS = { main: { use: 'pglite', path: 'memory://' } };
const FILES = {
  'definitions/a.json': [
    returning('echo', '$PAYLOAD'),
    querying('cast', 'SELECT $1::int AS n', ['$PAYLOAD.n']),
    {
      id: 'chain',
      resource: 'shops/:shop/chain',
      actionables: [
        { id: 1, mode: 'RETURN', value: { a: 1 } },
        { id: 2, mode: 'QUERY', sql_query: { query: 'SELECT 2 AS b', parameters: [] } },
      ],
    },
  ],
};

describe('observers', function () {
  this.timeout(60_000);
  const kernels: TestKernel[] = [];
  const start = async (
    observers: object,
    more: Omit<TestKernelOptions, 'files' | 'config'> = {},
  ): Promise<TestKernel> => {
    const kernel = await startKernel({ ...more, files: FILES, config: { connections: CONNECTIONS, observers } });
    kernels.push(kernel);
    return kernel;
  };
  afterEach(() => Promise.all(kernels.splice(0).map((kernel) => kernel.close())));

  describe('prometheus', () => {
    const page = async (kernel: TestKernel, path = '/metrics', init?: RequestInit): Promise<string> =>
      (await kernel.request<string>('GET', path, init)).text;
    const PROMETHEUS = { figures: { use: 'prometheus' } };

    it('counts and times requests, actionables and problems, and shows the process', async () => {
      const kernel = await start(PROMETHEUS);
      await kernel.post('/echo', { a: 1 });
      await kernel.post('/echo', { a: 1 });
      await kernel.post('/shops/7/chain', {});
      await kernel.post('/echo', '{"broken');
      await kernel.post('/cast', { n: 'x' });
      const text = await page(kernel);
      expect(text)
        .to.contain('lintel_requests_total{resource="echo",method="POST",status="200"} 2\n')
        .and.contain('lintel_requests_total{resource="echo",method="POST",status="400"} 1\n')
        .and.contain('lintel_requests_total{resource="cast",method="POST",status="422"} 1\n')
        .and.contain('lintel_problems_total{resource="echo",code="REQ_MALFORMED"} 1\n')
        .and.contain('lintel_request_duration_seconds_count{resource="echo",method="POST"} 3\n')
        .and.contain('lintel_action_duration_seconds_count{resource="chain",action="chain#1",mode="RETURN"} 1\n')
        .and.contain('lintel_action_duration_seconds_count{resource="chain",action="chain#2",mode="QUERY"} 1\n')
        .and.contain('process_cpu_user_seconds_total')
        .and.contain('nodejs_eventloop_lag_seconds');
    });

    it('has no label that a client made up: addresses, verbs and values leave no trace', async () => {
      const kernel = await start(PROMETHEUS);
      await kernel.post('/canary-1?canary-2=canary-3', { 'canary-4': 'canary-5' });
      await kernel.post('/shops/canary-6/chain', {});
      await kernel.request('PROPFIND', '/canary-7');
      await kernel.request('PROPFIND', '/echo', { headers: { 'x-canary': 'canary-8' } });
      const text = await page(kernel);
      expect(text).not.to.contain('canary').and.not.contain('PROPFIND');
      expect(text)
        .to.contain('lintel_requests_total{resource="-",method="POST",status="404"} 1\n')
        .and.contain('lintel_requests_total{resource="-",method="-",status="404"} 1\n')
        .and.contain('lintel_requests_total{resource="echo",method="-",status="405"} 1\n');
    });

    it('answers GET and HEAD alone, as text that nobody keeps', async () => {
      const kernel = await start(PROMETHEUS);
      const { status, headers } = await kernel.request('GET', '/metrics');
      expect([status, headers.get('content-type'), headers.get('cache-control')]).to.deep.equal([
        200,
        'text/plain; version=0.0.4; charset=utf-8',
        'no-store',
      ]);
      expect((await kernel.request('HEAD', '/metrics')).status).to.equal(200);
      const refused = await kernel.post('/metrics', {});
      expect([refused.status, refused.body['code'], refused.headers.get('allow')]).to.deep.equal([
        405,
        'REQ_METHOD',
        'GET, HEAD',
      ]);
    });

    it('shows the page to those who have its token, where it has one', async () => {
      const observers = { figures: { use: 'prometheus', path: '/internal/figures', token: '$ENV.METRICS_TOKEN' } };
      const kernel = await start(observers, { env: { METRICS_TOKEN: TOKEN } });
      const ask = (authorization?: string) =>
        kernel.request('GET', '/internal/figures', authorization === undefined ? {} : { headers: { authorization } });
      for (const wrong of [
        undefined,
        '',
        'Bearer',
        `Bearer ${TOKEN}x`,
        `Bearer ${TOKEN.slice(1)}`,
        `Basic ${TOKEN}`,
        TOKEN,
      ]) {
        const { status, body, headers } = await ask(wrong);
        expect([status, body['code'], headers.get('www-authenticate')], wrong).to.deep.equal([
          401,
          'OBS_TOKEN',
          'Bearer',
        ]);
      }
      expect((await ask(`bearer ${TOKEN}`)).text).to.contain('lintel_requests_total');
      expect((await kernel.request('GET', '/metrics')).status).to.equal(404);
      const twice = await kernel.raw(
        `GET /internal/figures HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${TOKEN}\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`,
      );
      expect(twice).to.contain('HTTP/1.1 401');
    });

    it('does not start with a token that is missing or easy to guess', async () => {
      const observers = { figures: { use: 'prometheus', token: '$ENV.METRICS_TOKEN' } };
      for (const [env, code] of [
        [{}, 'ENV_MISSING'],
        [{ METRICS_TOKEN: '' }, 'ENV_MISSING'],
        [{ METRICS_TOKEN: '   ' }, 'ENV_BLANK'],
        [{ METRICS_TOKEN: 'short' }, 'OBS_TOKEN_SHORT'],
      ] as const) {
        const failure = await start(observers, { env }).then(
          () => null,
          (error: { problems?: readonly { code: string }[] }) => error.problems?.map((problem) => problem.code),
        );
        expect(failure, JSON.stringify(env)).to.include(code);
      }
    });
  });

  describe('opentelemetry', () => {
    let collector: Collector;
    beforeEach(async () => (collector = await startCollector()));
    afterEach(() => collector.close());
    const tracing = (more: object = {}) => ({
      traces: { use: 'opentelemetry', endpoint: collector.url, interval: 0.05, ...more },
    });
    const TRACE = '0af7651916cd43dd8448eb211c80319c';
    const traced = (flags: string): RequestInit => ({
      headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-${flags}` },
    });

    it('one span for a request, one for each actionable inside it, with names, verb, route and status', async () => {
      const kernel = await start(tracing({ service_name: 'wallet' }));
      const { headers } = await kernel.post('/shops/7/chain', {});
      await collector.got('POST /shops/:shop/chain');
      const [request] = collector.spans.filter(({ name }) => name === 'POST /shops/:shop/chain');
      expect(request).to.deep.include({ kind: 2 });
      expect(request?.parentSpanId ?? '').to.equal('');
      expect(request?.attributes).to.deep.equal({
        'lintel.request': headers.get('x-request-id'),
        'lintel.resource': 'chain',
        'http.request.method': 'POST',
        'http.route': '/shops/:shop/chain',
        'http.response.status_code': 200,
      });
      const children = collector.spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId);
      expect(children.map(({ name, attributes }) => [name, attributes['lintel.mode']])).to.deep.equal([
        ['chain#1', 'RETURN'],
        ['chain#2', 'QUERY'],
      ]);
      for (const { start, end, traceId } of children) {
        expect(traceId).to.equal(request?.traceId);
        // The clock of requests counts whole milliseconds.
        expect(start >= (request?.start ?? 0n) - 1_000_000n && end >= start).to.equal(true);
        expect(end <= (request?.end ?? 0n) + 2_000_000n).to.equal(true);
      }
      expect([...collector.services]).to.deep.equal(['wallet']);
    });

    it('errors have the code of the problem; only those of ours mark the request as failed', async () => {
      const kernel = await start(tracing());
      await kernel.post('/cast', { n: 'x' });
      await collector.got('POST /cast');
      const request = collector.spans.find(({ name }) => name === 'POST /cast');
      const action = collector.spans.find(({ name }) => name === 'cast#1');
      expect(action?.status).to.deep.equal({ code: 2, message: request?.attributes['lintel.code'] });
      expect(action?.attributes['lintel.code']).to.match(/^QRY_/);
      expect([request?.attributes['http.response.status_code'], request?.status.code ?? 0]).to.deep.equal([422, 0]);
    });

    it('continues the trace that a request brings, as one entry of it', async () => {
      const kernel = await start(tracing());
      await kernel.post('/echo', {}, traced('01'));
      await collector.got('POST /echo');
      expect(collector.spans.find(({ name }) => name === 'POST /echo')).to.include({
        traceId: TRACE,
        parentSpanId: 'b7ad6b7169203331',
      });
    });

    it('traces the share that `ratio` says, and what the caller has decided to trace', async () => {
      const kernel = await start(tracing({ ratio: 0 }));
      for (let i = 0; i < 5; i++) await kernel.post('/echo', {});
      await kernel.post('/cast', { n: 1 }, traced('00'));
      await kernel.post('/shops/1/chain', {}, traced('01'));
      await collector.got('POST /shops/:shop/chain');
      expect(new Set(collector.spans.map(({ traceId }) => traceId))).to.deep.equal(new Set([TRACE]));
      expect(collector.spans.map(({ name }) => name)).to.have.members([
        'POST /shops/:shop/chain',
        'chain#1',
        'chain#2',
      ]);
    });

    it('sends the headers of the config, and tells them nobody', async () => {
      const kernel = await start(tracing({ headers: { 'x-api-key': '$ENV.COLLECTOR_KEY' } }), {
        env: { COLLECTOR_KEY: 'canary-collector-key' },
      });
      await kernel.post('/echo', {});
      await collector.got('POST /echo');
      expect(collector.headers[0]).to.include({ 'x-api-key': 'canary-collector-key' });
      collector.answer = 403;
      await kernel.post('/echo', {});
      await kernel.close();
      expect(JSON.stringify(kernel.log)).not.to.contain('canary').and.not.contain(collector.url);
    });

    it('what waits is sent before the service ends', async () => {
      const kernel = await start(tracing({ interval: 300 }));
      await kernel.post('/echo', {});
      expect(collector.spans).to.deep.equal([]);
      await kernel.close();
      expect(collector.spans.map(({ name }) => name)).to.include('POST /echo');
    });

    it('a collector that is away is mentioned once, delays nothing, and may come back', async () => {
      const kernel = await start(tracing({ timeout: 0.2, queue: 20 }));
      collector.answer = 503;
      const mentioned = () =>
        kernel.log.filter(({ message }) => message.startsWith('the collector')).map(({ level }) => level);
      const until = async (count: number): Promise<void> => {
        while (mentioned().length < count) {
          const started = performance.now();
          expect((await kernel.post('/echo', {})).status).to.equal(200);
          expect(performance.now() - started).to.be.lessThan(1000);
        }
      };
      await until(1);
      for (let i = 0; i < 100; i++) await kernel.post('/echo', {});
      expect(mentioned()).to.deep.equal(['warn']);
      collector.answer = 200;
      await until(2);
      expect(mentioned()).to.deep.equal(['warn', 'info']);
    });

    it('a collector that nobody reaches does not keep the service from ending', async () => {
      const kernel = await start({
        traces: { use: 'opentelemetry', endpoint: 'http://127.0.0.1:1/v1/traces', timeout: 0.5 },
      });
      await kernel.post('/echo', {});
      const started = performance.now();
      await kernel.close();
      expect(performance.now() - started).to.be.lessThan(3000);
      expect(kernel.log.filter(({ level }) => level === 'error')).to.deep.equal([]);
    });

    it('gives outbound calls a header that names the span of their request', () => {
      const exporter = new InMemorySpanExporter();
      const tracing = createTracing('test', 1, new SimpleSpanProcessor(exporter));
      const sent = [`00-${TRACE}-b7ad6b7169203331-01`];
      const header = (name: string) => (name === 'traceparent' ? sent : []);
      const invocation = testInvocation({}, { header, startedAt: Date.now(), trace: { 'x-other': 'kept' } });
      tracing.open(invocation);
      tracing.close({
        id: invocation.id,
        trigger: 'cron',
        resource: 'tidy',
        path: undefined,
        method: undefined,
        startedAt: invocation.startedAt,
        status: 500,
        code: 'INT_UNEXPECTED',
        milliseconds: 5,
        actions: [],
      });
      const [span] = exporter.getFinishedSpans();
      const context = span?.spanContext();
      expect(context?.traceId).to.equal(TRACE);
      expect(invocation.trace).to.deep.equal({ 'x-other': 'kept', traceparent: `00-${TRACE}-${context?.spanId}-01` });
      expect([span?.name, span?.status.code, span?.attributes['error.type']]).to.deep.equal([
        'cron',
        2,
        'INT_UNEXPECTED',
      ]);
    });

    it('reads `traceparent` as the standard says, and nothing that only looks like it', () => {
      const good = `00-${TRACE}-b7ad6b7169203331-01`;
      expect(readTraceparent([good])).to.deep.include({ traceId: TRACE, spanId: 'b7ad6b7169203331', traceFlags: 1 });
      expect(readTraceparent([good.replace('00-', 'cc-') + '-later'])).to.deep.include({ traceId: TRACE });
      for (const bad of [
        [],
        [''],
        [good, good],
        [`${good}, ${good}`],
        [good.toUpperCase()],
        [`${good}-more`],
        [` ${good}`],
        [good.replace('00-', 'ff-')],
        [good.replace(TRACE, '0'.repeat(32))],
        [good.replace('b7ad6b7169203331', '0'.repeat(16))],
        [`01-${good.slice(3)}-${'x'.repeat(600)}`],
        ['constructor'],
      ]) {
        expect(readTraceparent(bad), JSON.stringify(bad)).to.equal(null);
      }
    });
  });

  describe('server_timing', () => {
    it('tells the time of the whole and of each actionable', async () => {
      const kernel = await start({ timing: { use: 'server_timing' } });
      const { headers } = await kernel.post('/shops/7/chain', {});
      expect(headers.get('server-timing')).to.match(
        /^total;dur=\d+\.\d, return;desc="chain#1";dur=\d+\.\d, query;desc="chain#2";dur=\d+\.\d$/,
      );
    });

    it('is there while somebody writes definitions, and not in production', async () => {
      const silent = await start({});
      expect((await silent.post('/echo', {})).headers.get('server-timing')).to.equal(null);
      const dev = await startKernel({ files: FILES, config: { connections: CONNECTIONS }, dev: true });
      kernels.push(dev);
      expect((await dev.post('/echo', {})).headers.get('server-timing')).to.match(/^total;dur=/);
    });
  });

  it('the access log and the figures leave rows as text; only a look at every answer makes values of them', async () => {
    const watched = async (observers: object): Promise<boolean> => {
      const { kernel } = await start(observers);
      return kernel.hooks.reply !== null;
    };
    expect(await watched({})).to.equal(false);
    expect(await watched({ figures: { use: 'prometheus' }, traces: { use: 'opentelemetry' } })).to.equal(false);
    expect(await watched({ timing: { use: 'server_timing' } })).to.equal(true);
  });

  it('the access log has a line for each request, and is gone where `disable` names it', async () => {
    const lines = async (more: object): Promise<unknown[]> => {
      const config = { connections: CONNECTIONS, ...more };
      const kernel = await startKernel({ files: FILES, config });
      await kernel.post('/echo', { a: 1 });
      await kernel.close();
      return kernel.log.filter(({ message }) => message === 'request').map(({ fields }) => fields['resource']);
    };
    expect(await lines({})).to.deep.equal(['echo']);
    expect(await lines({ observers: { figures: { use: 'prometheus' } } })).to.deep.equal(['echo']);
    expect(await lines({ disable: ['observer:access_log'] })).to.deep.equal([]);
  });

  it('`lintel plan` neither connects nor waits for any of them', async () => {
    const observers = {
      figures: { use: 'prometheus' },
      traces: { use: 'opentelemetry' },
      timing: { use: 'server_timing' },
    };
    const project = await tempProject({ ...FILES, 'lintel.config.json': { connections: CONNECTIONS, observers } });
    const { code } = await runCli(['plan', 'chain'], { cwd: project.folder });
    await project.dispose();
    expect(code).to.equal(0);
  });
});
