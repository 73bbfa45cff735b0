/** Traces at a real collector: attributes of a span, the continued trace, and spans without a collector. */
import { expect } from 'chai';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createTracing, readTraceparent } from '../../plugins/observers/opentelemetry/tracing.js';
import { startCollector, type Collector } from '../support/collector.js';
import { createTestInvocation } from '../support/invocation.js';
import { createObservedKernels } from '../support/observed-kernels.js';
import { startStopwatch } from '../support/stopwatch.js';

describe('opentelemetry', function () {
  const { start } = createObservedKernels();
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

  it('creates one span for a request, one for each actionable inside it, with names, verb, route and status', async () => {
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

  it('sets the code of the problem for errors; only errors of the server mark the request as failed', async () => {
    const kernel = await start(tracing());
    await kernel.post('/cast', { n: 'x' });
    await collector.got('POST /cast');
    const request = collector.spans.find(({ name }) => name === 'POST /cast');
    const action = collector.spans.find(({ name }) => name === 'cast#1');
    expect(action?.status).to.deep.equal({ code: 2, message: request?.attributes['lintel.code'] });
    expect(action?.attributes['lintel.code']).to.match(/^QRY_/);
    expect([request?.attributes['http.response.status_code'], request?.status.code ?? 0]).to.deep.equal([422, 0]);
  });

  it('continues the trace of a request, as one entry of it', async () => {
    const kernel = await start(tracing());
    await kernel.post('/echo', {}, traced('01'));
    await collector.got('POST /echo');
    expect(collector.spans.find(({ name }) => name === 'POST /echo')).to.include({
      traceId: TRACE,
      parentSpanId: 'b7ad6b7169203331',
    });
  });

  it('traces the share of `ratio`, and requests that the caller traces', async () => {
    const kernel = await start(tracing({ ratio: 0 }));
    for (let i = 0; i < 5; i++) await kernel.post('/echo', {});
    await kernel.post('/cast', { n: 1 }, traced('00'));
    await kernel.post('/shops/1/chain', {}, traced('01'));
    await collector.got('POST /shops/:shop/chain');
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).to.deep.equal(new Set([TRACE]));
    expect(collector.spans.map(({ name }) => name)).to.have.members(['POST /shops/:shop/chain', 'chain#1', 'chain#2']);
  });

  it('sends the headers of the config, and logs none', async () => {
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

  it('sends waiting spans before the service ends', async () => {
    const kernel = await start(tracing({ interval: 300 }));
    await kernel.post('/echo', {});
    expect(collector.spans).to.deep.equal([]);
    await kernel.close();
    expect(collector.spans.map(({ name }) => name)).to.include('POST /echo');
  });

  it('logs an unavailable collector once, delays nothing, and uses it again later', async () => {
    const kernel = await start(tracing({ timeout: 0.2, queue: 20 }));
    collector.answer = 503;
    const mentioned = () =>
      kernel.log.filter(({ message }) => message.startsWith('trace export')).map(({ level }) => level);
    const waitForSpans = async (count: number): Promise<void> => {
      while (mentioned().length < count) {
        const elapsed = startStopwatch();
        expect((await kernel.post('/echo', {})).status).to.equal(200);
        expect(elapsed()).to.be.lessThan(1000);
      }
    };
    await waitForSpans(1);
    for (let i = 0; i < 100; i++) await kernel.post('/echo', {});
    expect(mentioned()).to.deep.equal(['warn']);
    collector.answer = 200;
    await waitForSpans(2);
    expect(mentioned()).to.deep.equal(['warn', 'info']);
  });

  it('does not delay the shutdown for an unavailable collector', async () => {
    const kernel = await start({
      traces: { use: 'opentelemetry', endpoint: 'http://127.0.0.1:1/v1/traces', timeout: 0.5 },
    });
    await kernel.post('/echo', {});
    const elapsed = startStopwatch();
    await kernel.close();
    expect(elapsed()).to.be.lessThan(3000);
    expect(kernel.log.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });

  it('adds a header with the span of the request to outbound calls', () => {
    const exporter = new InMemorySpanExporter();
    const tracing = createTracing('test', 1, new SimpleSpanProcessor(exporter));
    const sent = [`00-${TRACE}-b7ad6b7169203331-01`];
    const header = (name: string) => (name === 'traceparent' ? sent : []);
    const invocation = createTestInvocation({}, { header, startedAt: Date.now(), trace: { 'x-other': 'kept' } });
    tracing.open(invocation);
    tracing.close({
      id: invocation.id,
      trigger: invocation.trigger,
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
      'test',
      2,
      'INT_UNEXPECTED',
    ]);
  });

  it('reads `traceparent` according to the standard, and rejects similar text', () => {
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
