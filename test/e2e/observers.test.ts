/**
 * The observers over real HTTP: metrics on a page, durations in a header, lines in the log. And what none of them
 * contains.
 */
import { expect } from 'chai';
import { runCli } from '../support/cli.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { CONNECTIONS, FILES, createObservedKernels } from '../support/observed-kernels.js';
import { createTempProject } from '../support/project.js';

const TOKEN = 'Vx7pQ2mK9sLw4RtZ8bNc';
describe('observers', function () {
  const { start, keep } = createObservedKernels();

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

    it('has no label from a client: addresses, verbs and values do not appear', async () => {
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

    it('responds to GET and HEAD only, as text that is not cached', async () => {
      const kernel = await start(PROMETHEUS);
      const { status, headers } = await kernel.request('GET', '/metrics');
      expect([status, headers.get('content-type'), headers.get('cache-control')]).to.deep.equal([
        200,
        'text/plain; version=0.0.4; charset=utf-8',
        'no-store',
      ]);
      expect((await kernel.request('HEAD', '/metrics')).status).to.equal(200);
      const rejected = await kernel.post('/metrics', {});
      expect([rejected.status, rejected.body['code'], rejected.headers.get('allow')]).to.deep.equal([
        405,
        'REQ_METHOD',
        'GET, HEAD',
      ]);
    });

    it('shows the page only with its token, if it has one', async () => {
      const observers = { figures: { use: 'prometheus', path: '/internal/figures', token: '$ENV.METRICS_TOKEN' } };
      const kernel = await start(observers, { env: { METRICS_TOKEN: TOKEN } });
      const fetchFigures = (authorization?: string) =>
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
        const { status, body, headers } = await fetchFigures(wrong);
        expect([status, body['code'], headers.get('www-authenticate')], wrong).to.deep.equal([
          401,
          'OBS_TOKEN',
          'Bearer',
        ]);
      }
      expect((await fetchFigures(`bearer ${TOKEN}`)).text).to.contain('lintel_requests_total');
      expect((await kernel.request('GET', '/metrics')).status).to.equal(404);
      const twice = await kernel.raw(
        `GET /internal/figures HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer ${TOKEN}\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`,
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

  describe('server_timing', () => {
    it('shows the duration of the whole and of each actionable', async () => {
      const kernel = await start({ timing: { use: 'server_timing' } });
      const { headers } = await kernel.post('/shops/7/chain', {});
      expect(headers.get('server-timing')).to.match(
        /^total;dur=\d+\.\d, return;desc="chain#1";dur=\d+\.\d, query;desc="chain#2";dur=\d+\.\d$/,
      );
    });

    it('is active in development, and not in production', async () => {
      const silent = await start({});
      expect((await silent.post('/echo', {})).headers.get('server-timing')).to.equal(null);
      const dev = keep(await startKernel({ files: FILES, config: { connections: CONNECTIONS }, dev: true }));
      expect((await dev.post('/echo', {})).headers.get('server-timing')).to.match(/^total;dur=/);
    });
  });

  it('do not parse rows for the access log and the metrics; only an observer that reads responses does', async () => {
    const watched = async (observers: object): Promise<boolean> => {
      const { kernel } = await start(observers);
      return kernel.hooks.reply !== null;
    };
    expect(await watched({})).to.equal(false);
    expect(await watched({ figures: { use: 'prometheus' }, traces: { use: 'opentelemetry' } })).to.equal(false);
    expect(await watched({ timing: { use: 'server_timing' } })).to.equal(true);
  });

  it('log a line for each request, and none if `disable` names the access log', async () => {
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

  it('are neither connected nor awaited by `lintel plan`', async () => {
    const observers = {
      figures: { use: 'prometheus' },
      traces: { use: 'opentelemetry' },
      timing: { use: 'server_timing' },
    };
    const project = await createTempProject({
      ...FILES,
      'lintel.config.json': { connections: CONNECTIONS, observers },
    });
    const { code } = await runCli(['plan', 'chain'], { cwd: project.folder });
    await project.dispose();
    expect(code).to.equal(0);
  });
});
