/**
 * Observers of events outside requests, from one running service with all of them: messages and connections, deferred
 * and scheduled work, and waiting jobs. Metrics, log lines and spans are read like their consumers read them.
 */
import { expect } from 'chai';
import { startCollector, type Collector, type SeenSpan } from '../support/collector.js';
import { waitForValue } from '../support/jobs.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { connect, type SocketClient } from '../support/sockets.js';
import { createBearerInit, KEY } from '../support/tokens.js';
import { defineReturnResource } from '../support/project.js';

const defineResource = (id: string, action: object, rest: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'RETURN', value: '$PAYLOAD', ...action }],
  ...rest,
});
const FAILING = {
  mode: 'QUERY',
  value: undefined,
  sql_query: { query: 'SELECT 1 / $1::int AS n', parameters: ['$PAYLOAD.n'] },
};
const FILES = {
  'definitions/a.json': [
    defineReturnResource('echo', '$PAYLOAD'),
    defineResource('later', { run_in_background: true }),
    defineResource('divide', { ...FAILING, queue: { retries: 1 } }),
    defineResource('tell', { broadcast_websocket_message: { broadcast_type: 'ALL', action: 'told' } }),
    defineResource('tick', { value: {}, cron_job: { execution_interval: '* * * * * *' } }),
    defineResource('delayed', { queue: { delay: 3600 } }),
  ],
};
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

/** Without the metrics of the process, and without the buckets of histograms. */
const figuresIn = (text: string): string =>
  `${text
    .split('\n')
    .filter((line) => /^lintel_(?!.*_bucket)/.test(line))
    .join('\n')}\n`;

describe('observers of events outside requests', function () {
  let collector: Collector;
  let kernel: TestKernel;
  const clients: SocketClient[] = [];
  before(async () => {
    collector = await startCollector();
    kernel = await startKernel({
      files: FILES,
      env: { KEY },
      config: {
        connections: { main: { use: 'pglite', path: 'memory://' } },
        queue: { use: 'embedded', backoff: 0.05, poll: 0.5 },
        websocket: { enabled: true },
        observers: {
          figures: { use: 'prometheus' },
          traces: { use: 'opentelemetry', endpoint: collector.url, interval: 0.05 },
        },
      },
    });
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await kernel?.close();
    await collector?.close();
  });
  const openClient = async (options: object = {}): Promise<SocketClient> => {
    const client = await connect(kernel.url, options);
    clients.push(client);
    return client;
  };
  const page = async (): Promise<string> => figuresIn((await kernel.request('GET', '/metrics')).text);
  const shows = (line: string): Promise<string> => waitForValue(page, (text) => text.includes(`${line}\n`));
  const span = (fits: (span: SeenSpan) => boolean): Promise<SeenSpan | undefined> =>
    waitForValue(
      () => collector.spans.find(fits),
      (found) => found !== undefined,
    );

  it('count accepted work, its outcome, and waiting work in metrics', async () => {
    await kernel.post('/later', {});
    await kernel.post('/divide', { n: 0 });
    await kernel.post('/delayed', {});
    // How much waits is counted every few seconds: the page is read when all of it is as it stays.
    await waitForValue(
      async () => (await kernel.kernel.listJobAdmins()[0]?.list({}))?.map(({ state }) => state).sort() ?? [],
      (states) => states.join() === 'dead,waiting',
    );
    await shows('lintel_work_accepted_total{resource="later"} 1');
    await shows('lintel_work_ended_total{resource="later",outcome="done",code="-"} 1');
    // A division by nothing does not get better: it is not tried again.
    await shows('lintel_work_ended_total{resource="divide",outcome="dead",code="QRY_BAD_VALUE"} 1');
    const text = await shows('lintel_work{state="dead"} 1');
    expect(text).to.contain('lintel_work{state="delayed"} 1\n').and.contain('lintel_work{state="ready"} 0\n');
    expect(text).to.contain('lintel_work_oldest_seconds 0\n');
    await waitForValue(page, (now) =>
      /lintel_runs_total\{resource="tick",trigger="cron",status="200"\} \d+\n/.test(now),
    );
  });

  it('count connections, messages of clients and messages to them in metrics', async () => {
    const [first, second] = [await openClient(), await openClient({ query: '?uid=canary-uid' })];
    await first.sendRequest('echo', { n: 'canary-value' });
    await first.sendRequest('nowhere-canary');
    await shows('lintel_connections 2');
    await kernel.post('/tell', { n: 1 });
    await Promise.all([first, second].map((client) => client.next(({ action }) => action === 'told')));
    await second.close();
    const text = await shows('lintel_connections_closed_total{code="1005"} 1');
    expect(text)
      .to.contain('lintel_connections 1\n')
      .and.contain('lintel_connections_opened_total 2\n')
      .and.contain('lintel_messages_sent_total{action="told"} 1\n')
      .and.contain('lintel_messages_delivered_total{action="told"} 2\n')
      .and.contain('lintel_runs_total{resource="echo",trigger="websocket",status="200"} 1\n')
      .and.contain('lintel_runs_total{resource="-",trigger="websocket",status="404"} 1\n');
    expect(text).not.to.contain('lintel_messages_dropped_total{').and.not.to.contain('canary');
  });

  it('log a line for each message, run and connection, without values', async () => {
    const client = await openClient({ query: '?uid=canary-log', headers: createBearerInit('canary.token.text') }).catch(
      () => null,
    );
    expect(client).not.to.equal(null);
    await client?.sendRequest('echo', { a: 'canary-sent' });
    await client?.close();
    const lines = () => kernel.log.filter(({ level }) => level === 'info');
    await waitForValue(lines, (rows) => rows.filter(({ message }) => message === 'connection closed').length >= 2);
    const of = (message: string) => lines().filter((row) => row.message === message);
    expect(of('message').at(-1)?.fields).to.include({ trigger: 'websocket', resource: 'echo', status: 200 });
    expect(of('connection closed').at(-1)?.fields).to.include.keys('id', 'code', 'open', 'ms');
    expect(of('work').find(({ fields }) => fields['resource'] === 'later')?.fields).to.include({
      trigger: 'job',
      status: 200,
      attempt: 1,
    });
    expect(of('scheduled run')[0]?.fields).to.include({ trigger: 'cron', resource: 'tick', status: 200 });
    expect(JSON.stringify(kernel.log)).not.to.contain('canary');
  });

  it('create a trace for a job run with a link to the request that accepted it, and report both', async () => {
    const { headers } = await kernel.post('/later', {}, { headers: { traceparent: `00-${TRACE}-${PARENT}-01` } });
    const id = headers.get('x-request-id');
    const ofRequest = ({ attributes }: SeenSpan): boolean => attributes['lintel.request'] === id;
    const run = await span((one) => ofRequest(one) && one.attributes['lintel.trigger'] === 'job');
    const request = await span((one) => ofRequest(one) && one.attributes['http.route'] === '/later');
    expect([request?.traceId, request?.parentSpanId]).to.deep.equal([TRACE, PARENT]);
    expect(run?.traceId).not.to.equal(TRACE);
    expect(run?.links?.map(({ traceId, spanId }) => [traceId, spanId])).to.deep.equal([[TRACE, request?.spanId]]);
    expect(run).to.deep.include({ kind: 5, name: 'job /later' });
    expect(run?.attributes['lintel.attempt']).to.equal(1);
    const action = await span(({ parentSpanId }) => parentSpanId === run?.spanId);
    expect(action?.name).to.equal('later#1');
  });

  it('create traces for messages of one connection and scheduled runs', async () => {
    const client = await openClient({ headers: { traceparent: `00-${TRACE}-${PARENT}-01` } });
    await client.sendRequest('echo', { n: 1 });
    await client.sendRequest('echo', { n: 2 });
    const linked = (): SeenSpan[] =>
      collector.spans.filter(({ name, links }) => name === 'websocket /echo' && links?.[0]?.traceId === TRACE);
    const messages = await waitForValue(linked, ({ length }) => length === 2);
    expect(new Set([TRACE, ...messages.map(({ traceId }) => traceId)]).size).to.equal(3);
    expect(await span(({ name, kind }) => name === 'cron /tick' && kind === 1)).to.include({ name: 'cron /tick' });
  });

  it('show the number of connections on the status page', async () => {
    const { body } = await kernel.request('GET', '/status');
    expect(await page()).to.contain(`lintel_connections ${String(body['connections'])}\n`);
    expect(body['connections']).to.be.greaterThan(0);
  });
});
