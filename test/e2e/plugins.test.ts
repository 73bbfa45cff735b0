/**
 * Plugins from folders outside `plugins/`, over real HTTP: one of an existing kind, a new kind with two plugins and the
 * feature that opens its slot, and an observer that taps the hooks. `kernel/` names none of them.
 */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Problem } from '../../contract/problem.js';
import type { Loose } from '../support/client.js';
import { DATABASES, startKernel, type TestKernel, type TestKernelOptions } from '../support/kernel.js';
import { PLUGIN_FIXTURES, defineQueryResource, defineReturnResource } from '../support/project.js';
import { skipTest } from '../support/skip.js';

const folder = (name: string): string => join(PLUGIN_FIXTURES, name);

/** With plugins of the fixture folders in addition to those of the distribution. */
const withPlugins = (names: readonly string[], options: TestKernelOptions = {}): Promise<TestKernel> =>
  startKernel({ ...options, config: { ...options.config, plugins: ['builtin:*', ...names.map(folder)] } });

interface Recorder {
  readonly events: unknown[][];
  readonly state: { healthy: boolean };
  release(): void;
  holding(): Promise<void>;
}

/** The module that the kernel imported: one process has one of it. */
const recorder = async (): Promise<Recorder> =>
  (await import(pathToFileURL(join(folder('witness'), 'recorder', 'runtime.js')).href)) as Recorder;

/** `accounts.json:3:5`-like places, with the text of the range. */
function placed({ code, range }: Problem, text: string): string {
  const line = text.split('\n')[range.start.line] ?? '';
  return `${code} ${line.slice(range.start.character, range.end.line === range.start.line ? range.end.character : undefined)}`;
}

describe('plugin of an existing kind', () => {
  const files = { 'definitions/a.json': defineReturnResource('code', { code: '$GENERATOR.SHORTCODE' }) };

  it('is served', async () => {
    const kernel = await withPlugins(['short-code'], { files });
    const codes = await Promise.all(Array.from({ length: 20 }, async () => (await kernel.post('/code')).body['code']));
    for (const code of codes) expect(code).to.match(/^[0-9a-z]{8}$/);
    expect(new Set(codes).size).to.equal(20);
    await kernel.close();
  });

  it('is found in an installed package that the config names', async () => {
    const kernel = await startKernel({
      files,
      prepare: async (project) => {
        const target = join(project, 'node_modules', '@shop', 'codes');
        await mkdir(dirname(target), { recursive: true });
        await symlink(folder('short-code'), target);
        const plugins = ['builtin:*', '@shop/codes'];
        await writeFile(join(project, 'lintel.config.json'), JSON.stringify({ plugins, http: { port: 0 } }));
      },
    });
    expect((await kernel.post('/code')).status).to.equal(200);
    await kernel.close();
  });

  it('is found when the config names the folder relative to itself', async () => {
    const kernel = await startKernel({
      files,
      prepare: async (project) => {
        const plugins = ['builtin:*', relative(project, folder('short-code'))];
        await writeFile(join(project, 'lintel.config.json'), JSON.stringify({ plugins, http: { port: 0 } }));
      },
    });
    expect((await kernel.post('/code')).status).to.equal(200);
    await kernel.close();
  });

  it('is suggested when it is misspelt, and unknown when it is disabled', async () => {
    const misspelt = await withPlugins(['short-code'], {
      files: { 'definitions/a.json': defineReturnResource('code', '$GENERATOR.SHORTCOD') },
      onProblem: 'skip',
    });
    const [problem] = misspelt.kernel.problems();
    expect(problem).to.include({ code: 'DEF_UNKNOWN_PLUGIN' });
    expect(problem?.message).to.contain('Did you mean "SHORTCODE"?');
    await misspelt.close();
    for (const pattern of ['generator:SHORTCODE', 'generator:S*']) {
      const disabled = await withPlugins(['short-code'], { files, config: { disable: [pattern] }, onProblem: 'skip' });
      expect(disabled.kernel.problems().map(({ code }) => code)).to.deep.equal(['DEF_UNKNOWN_PLUGIN']);
      expect((await disabled.post('/code')).status).to.equal(503);
      await disabled.close();
    }
  });

  it('of the distribution can be disabled too', async () => {
    const kernel = await startKernel({
      files: {
        'definitions/a.json': [
          defineReturnResource('uuid', '$GENERATOR.UUID'),
          defineReturnResource('ulid', '$GENERATOR.ULID'),
        ],
      },
      config: { disable: ['generator:UUID'] },
      onProblem: 'skip',
    });
    expect(kernel.kernel.problems().map(({ code }) => code)).to.deep.equal(['DEF_UNKNOWN_PLUGIN']);
    expect((await kernel.post('/uuid')).status).to.equal(503);
    expect((await kernel.post('/ulid')).status).to.equal(200);
    await kernel.close();
  });
});

describe('new kind', () => {
  const defineLimited = (id: string, quota: unknown): object =>
    defineReturnResource(id, { n: '$PAYLOAD.n' }, { quota });
  const rule = { field: { n: { type: 'NUMBER' } } };
  const files = {
    'definitions/a.json': [
      defineLimited('window', { algorithm: 'fixed-window', limit: 3, window: 3600 }),
      defineLimited('bucket', { algorithm: 'token-bucket', limit: 2, refill: 0.001 }),
      defineLimited('tenant', { algorithm: 'fixed-window', limit: 1, window: 3600, identifier: '$HEADER.x-tenant' }),
      {
        ...defineLimited('before-rules', { algorithm: 'token-bucket', limit: 1, refill: 0.001 }),
        actionables: [{ id: 1, mode: 'RETURN', value: 1, payload_validation: [rule] }],
      },
      defineReturnResource('free', 1),
    ],
  };
  let kernel: TestKernel;
  before(async () => (kernel = await withPlugins(['limits'], { files })));
  after(() => kernel.close());
  const statuses = async (path: string, times: number): Promise<number[]> => {
    const seen: number[] = [];
    for (let i = 0; i < times; i++) seen.push((await kernel.post(path, { n: i })).status);
    return seen;
  };

  it('is selected by the field that it names, and responds with its own message', async () => {
    expect(await statuses('/window', 5)).to.deep.equal([200, 200, 200, 429, 429]);
    const { status, headers, body } = await kernel.post('/window', { n: 1 });
    const seconds = Number(headers.get('retry-after'));
    expect(status).to.equal(429);
    expect(seconds).to.be.within(1, 3600);
    expect(body).to.include({
      type: 'urn:lintel:error:QTA_EXCEEDED',
      title: 'Too many requests',
      status: 429,
      code: 'QTA_EXCEEDED',
      success: false,
    });
    expect(body['detail']).to.match(/^Too many requests; try again in \d+ s\.$/);
  });

  it('can have any number of plugins', async () => {
    expect(await statuses('/bucket', 4)).to.deep.equal([200, 200, 429, 429]);
  });

  it('reads accessors in its fields', async () => {
    const as = async (tenant: string): Promise<number> =>
      (await kernel.post('/tenant', { n: 1 }, { headers: { 'x-tenant': tenant } })).status;
    expect([await as('a'), await as('b'), await as('a')]).to.deep.equal([200, 200, 429]);
    expect((await kernel.post('/tenant', { n: 1 })).status).to.equal(422);
  });

  it('runs before the rules of the payload', async () => {
    expect((await kernel.post('/before-rules', {})).status).to.equal(422);
    expect((await kernel.post('/before-rules', {})).status).to.equal(429);
  });

  it('does not affect other resources', async () => {
    expect(await statuses('/free', 10)).to.deep.equal(Array<number>(10).fill(200));
  });

  it('guards the resource in the table of endpoints and is shown in its plan', () => {
    const { summary } = kernel.kernel.plans().byId.get('window')!;
    expect(summary.guard).to.equal('3 requests');
    expect(summary.describe).to.deep.include({ admit: ['quota'] });
  });

  it('adds its fields, options and codes to the front end, with locations', async () => {
    const bad = (id: string, quota: unknown): string => JSON.stringify(defineLimited(id, quota), null, 1);
    const texts: Record<string, string> = {
      'definitions/1.json': bad('a', { algorithm: 'fixed-windw', limit: 1, window: 1 }),
      'definitions/2.json': bad('b', { algorithm: 'fixed-window', limt: 1, window: 1 }),
      'definitions/3.json': bad('c', { algorithm: 'fixed-window', limit: 1, window: 1, refill: 1 }),
      'definitions/4.json': bad('d', { algorithm: 'token-bucket', limit: 0, refill: 'x' }),
      'definitions/5.json': bad('e', { limit: 1 }),
      'definitions/6.json': bad('f', { algorithm: 'token-bucket', limit: 1, refill: 1, identifier: '$HEADR.ip' }),
      'definitions/7.json': bad('g', 5),
      'definitions/8.json': bad('h', 5).replace('quota', 'quta'),
    };
    const skipping = await withPlugins(['limits'], { files: texts, onProblem: 'skip' });
    const found = skipping.kernel.problems().map((problem) => {
      const name = problem.file.slice(problem.file.indexOf('definitions/'));
      return `${name.slice(-6, -5)} ${placed(problem, texts[name] ?? '')}`;
    });
    expect(found).to.deep.equal([
      '1 DEF_UNKNOWN_PLUGIN "fixed-windw"',
      '2 DEF_REQUIRED {',
      '2 DEF_UNKNOWN_KEY "limt"',
      '3 DEF_UNKNOWN_KEY "refill"',
      '4 DEF_RANGE 0',
      '4 DEF_TYPE "x"',
      '5 DEF_REQUIRED {',
      '6 ACC_UNKNOWN_ROOT $HEADR.ip',
      '7 DEF_TYPE 5',
      '8 DEF_UNKNOWN_KEY "quta"',
    ]);
    const hints = skipping.kernel.problems().map(({ message }) => /Did you mean "([^"]+)"/.exec(message)?.[1]);
    expect(hints).to.include.members(['fixed-window', 'limit', '$HEADER', 'quota']);
    await skipping.close();
  });
});

describe('observer that taps the hooks', () => {
  let kernel: TestKernel;
  let seen: Recorder;
  const files = {
    'definitions/a.json': [
      defineReturnResource('echo', '$PAYLOAD'),
      {
        id: 'judged',
        resource: 'judged',
        actionables: [
          { id: 1, mode: 'RETURN', value: '$PAYLOAD', payload_validation: [{ field: { added: { type: 'NUMBER' } } }] },
        ],
      },
      defineQueryResource('query', 'SELECT 1 AS one'),
    ],
  };
  before(async function () {
    seen = await recorder();
    seen.events.length = 0;
    const database = await DATABASES[0]!.make();
    if ('skip' in database) return skipTest(this, database.skip);
    const config = { witness: { use: 'recorder', header: 'x-observed' }, connections: database.connections };
    kernel = await withPlugins(['witness'], { files, config });
  });
  after(() => kernel.close());

  /** Events of the recorder while `work` ran; `after-response` is emitted when the connection has the bytes. */
  async function during<T>(work: () => Promise<T>): Promise<{ answer: T; events: unknown[][] }> {
    seen.events.length = 0;
    const answer = await work();
    const end = Date.now() + 5000;
    while (!seen.events.some(([name]) => name === 'after-response') && Date.now() < end)
      await new Promise(setImmediate);
    return { answer, events: [...seen.events] };
  }
  const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    kernel.post(path, body, { headers });

  it('is called in the order of startup', async () => {
    const other = await recorder();
    other.events.length = 0;
    const booting = await withPlugins(['witness'], {
      files: { 'definitions/a.json': defineReturnResource('echo', 1) },
    });
    await booting.close();
    expect(other.events).to.deep.equal([
      ['configure'],
      ['compile', 'echo'],
      ['ready', ['echo']],
      ['close', 'test over'],
    ]);
  });

  it('is called in the order of the request phases, once each', async () => {
    const { answer, events } = await during(() => send('/echo', { a: 1 }));
    expect(answer.body).to.deep.equal({ a: 1 });
    expect(answer.headers.get('x-observed')).to.equal('yes');
    expect(events).to.deep.equal([
      ['accept', 'http'],
      ['before-validate', 'echo#1', 'RETURN'],
      ['execute', 'RETURN', 'echo#1'],
      ['reply', 200],
      ['after-response', 'echo', 200, undefined],
    ]);
  });

  it('may end a request with done(), null included', async () => {
    const { answer, events } = await during(() => send('/echo', {}, { 'x-early': 'bird' }));
    expect(answer.body).to.deep.equal({ early: 'bird' });
    expect(events.map(([name]) => name)).to.deep.equal(['accept', 'reply', 'after-response']);
    expect((await send('/echo', { a: 1 }, { 'x-null': '1' })).body).to.equal(null);
  });

  it('may change the payload before it is validated', async () => {
    expect((await send('/judged', {})).status).to.equal(422);
    expect((await send('/judged', { 'x-add': 'no number' })).status).to.equal(422);
    const { body } = await send('/judged', { 'x-add': 5 });
    expect(body).to.deep.equal({ 'x-add': 5, added: 5 });
  });

  it('may return a result in place of an actionable, by mode', async () => {
    expect((await send('/echo', { 'x-instead': [1] })).body).to.deep.equal([1]);
    expect((await send('/query', {})).body).to.deep.equal({ one: 1 });
    const { answer, events } = await during(() => send('/query', { 'x-instead': { no: 'database' } }));
    expect(answer.body).to.deep.equal({ no: 'database' });
    expect(events).to.deep.include(['execute', 'QUERY', 'query#1']);
  });

  it('receives the code of a rejection', async () => {
    const { events } = await during(() => send('/judged', {}));
    expect(events.at(-1)).to.deep.equal(['after-response', 'judged', 422, 'VAL_PAYLOAD']);
  });

  it('may reject with a code of the catalogue; any other error is a 500 without its message', async () => {
    expect((await send('/echo', {}, { 'x-refuse': '1' })).body).to.include({ code: 'REQ_NOT_FOUND', status: 404 });
    const broken = await send('/echo', {}, { 'x-break': '1' });
    expect(broken.body).to.include({ code: 'INT_UNEXPECTED', status: 500 });
    expect(broken.text).not.to.contain('canary-message');
    const row = kernel.log.find(({ level }) => level === 'error');
    expect((row?.fields['err'] as Error).message)
      .to.contain('witness:recorder')
      .and.contain('accept');
  });

  it('is called for a request whose client did not wait for the response', async () => {
    seen.events.length = 0;
    const held = seen.holding();
    const abort = new AbortController();
    const left = kernel.post('/echo', { hold: 'release' }, { signal: abort.signal }).catch(() => 'left');
    await held;
    abort.abort();
    expect(await left).to.equal('left');
    // The server detects it when it reads the socket; a request on another connection is read after that.
    await send('/query', {});
    const { events } = await during(() => Promise.resolve(seen.release()));
    expect(events.map(([name]) => name)).to.include('after-response');
  });

  it('receives the plugins that it requires, although no definition uses them', async () => {
    expect((await send('/echo', {}, { 'x-ulid': '1' })).body['ulid']).to.match(/^[0-7][0-9A-Z]{25}$/);
  });

  it('reports its health: an unhealthy plugin makes the service not ready', async () => {
    const ready = await kernel.request<Loose>('GET', '/status/ready');
    expect(ready.status).to.equal(200);
    expect(ready.body['plugins']).to.deep.include({ 'witness:recorder': { ok: true, detail: 'watching' } });
    seen.state.healthy = false;
    try {
      const asleep = await kernel.request<Loose>('GET', '/status/ready');
      expect(asleep.status).to.equal(503);
      expect(asleep.body).to.deep.include({ live: true, ready: false });
      expect((await kernel.request('GET', '/status/live')).status).to.equal(200);
      expect((await send('/echo', { a: 1 })).status).to.equal(200);
    } finally {
      seen.state.healthy = true;
    }
  });
});
