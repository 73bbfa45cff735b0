/**
 * Guards over real HTTP, with the fixture plugin `gate`: they run before the body is read, and a connection with an
 * unread body is either reused or closed. Also `maintenance`, which rejects before every guard.
 */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { formatRequestHead, parseRaw, type Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { PLUGIN_FIXTURES, defineReturnResource } from '../support/project.js';

const GATE = join(PLUGIN_FIXTURES, 'gate');
const gated = (id: string, rest: object = {}): object =>
  defineReturnResource(id, '$PAYLOAD', { gate: 'sesame', ...rest });
const FILES = {
  'definitions/a.json': [
    gated('guarded'),
    gated('closed', { maintenance: true }),
    gated('reopened', { maintenance: false }),
    defineReturnResource('open', '$PAYLOAD'),
    { ...gated('helper-only'), actionables: [{ id: 1, mode: 'RETURN', value: 1, no_op: true }], maintenance: true },
  ],
};

/** A connection with several requests; each response is read by its length. */
class Line {
  #received = '';
  #ended = false;
  #tell: (() => void) | null = null;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      this.#received += chunk;
      this.#tell?.();
    });
    const over = (): void => {
      this.#ended = true;
      this.#tell?.();
    };
    socket.on('close', over).on('error', over);
  }

  static open = (port: number): Promise<Line> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Line(socket)));
      socket.once('error', reject);
    });

  async answer(): Promise<ReturnType<typeof parseRaw>> {
    for (;;) {
      const length = /content-length: (\d+)\r\n/i.exec(this.#received)?.[1];
      const end = this.#received.indexOf('\r\n\r\n') + 4 + Number(length);
      if (length !== undefined && this.#received.length >= end) {
        const whole = this.#received.slice(0, end);
        this.#received = this.#received.slice(end);
        return parseRaw(whole);
      }
      if (this.#ended) throw new Error(`closed after ${JSON.stringify(this.#received)}`);
      await this.#more();
    }
  }

  async closed(): Promise<void> {
    while (!this.#ended) await this.#more();
  }

  #more = (): Promise<void> => new Promise((resolve) => (this.#tell = resolve));
}

describe('guards', () => {
  let kernel: TestKernel;
  const lines: Line[] = [];
  before(async () => {
    kernel = await startKernel({ files: FILES, config: { plugins: ['builtin:*', GATE] } });
  });
  afterEach(() => lines.splice(0).forEach(({ socket }) => socket.destroy()));
  after(() => kernel.close());
  const line = async (): Promise<Line> => {
    const opened = await Line.open(kernel.server.port);
    lines.push(opened);
    return opened;
  };
  const json = (length: number, more: object = {}): Record<string, string | number> => ({
    'content-type': 'application/json',
    'content-length': length,
    ...more,
  });
  const word = { 'x-word': 'sesame' };

  it('admit valid callers, and set claims before the payload is read', async () => {
    const { seen } = (await import(pathToFileURL(join(GATE, 'runtime.js')).href)) as { seen: Loose[] };
    seen.length = 0;
    expect((await kernel.post('/guarded', { a: 1 }, { headers: word })).body).to.deep.equal({ a: 1 });
    expect(seen).to.deep.equal([{ payload: {}, received: {} }]);
  });

  it('reject before the body is checked: media type, size and syntax do not matter', async () => {
    for (const init of [
      { body: '{"a":', headers: { 'content-type': 'application/json' } },
      { body: 'text', headers: { 'content-type': 'text/plain' } },
      { body: 'x', headers: { 'content-encoding': 'gzip' } },
    ]) {
      expect((await kernel.request('POST', '/guarded', init)).body).to.include({ status: 401, code: 'GAT_CLOSED' });
      const passed = await kernel.request('POST', '/guarded', { ...init, headers: { ...init.headers, ...word } });
      expect(passed.body['code']).to.match(/^REQ_/);
    }
  });

  it('read a header that was sent twice', async () => {
    const twice = formatRequestHead('POST', '/guarded', { ...word, connection: 'close' }).replace(
      '\r\n\r\n',
      '\r\nX-Word: no\r\n\r\n',
    );
    expect(parseRaw(await kernel.raw(twice)).status).to.equal(401);
  });

  it('are listed in the table of endpoints', () => {
    expect(kernel.kernel.plans().byId.get('guarded')?.summary.guard).to.equal('word');
    expect(kernel.kernel.plans().byId.get('closed')?.summary.guard).to.contain('maintenance').and.contain('word');
    expect(kernel.kernel.plans().byId.get('open')?.summary.guard).to.equal('open');
  });

  for (const [path, status] of [
    ['/guarded', 401],
    ['/closed', 503],
  ] as const) {
    it(`return ${status} with an unread body: the next request on the same connection is served`, async () => {
      const one = await line();
      const body = JSON.stringify({ text: 'x'.repeat(50_000) });
      for (let round = 0; round < 3; round++) {
        one.socket.write(formatRequestHead('POST', path, json(body.length)) + body);
        const rejected = await one.answer();
        expect([rejected.status, rejected.head.includes('connection: close')]).to.deep.equal([status, false]);
        one.socket.write(`${formatRequestHead('POST', '/open', json(8))}{"a": 1}`);
        expect((await one.answer()).body).to.equal('{"a":1}');
      }
    });

    it(`return ${status} before a body of any announced length is sent, and close the connection`, async () => {
      for (const headers of [
        json(5_000_000_000),
        { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      ]) {
        const one = await line();
        one.socket.write(formatRequestHead('POST', path, headers));
        const rejected = await one.answer();
        expect(rejected.status).to.equal(status);
        expect(rejected.head).to.contain('connection: close');
        await one.closed();
      }
    });

    it(`return ${status} for a body without an end: the server does not read it`, async () => {
      const one = await line();
      one.socket.write(
        formatRequestHead('POST', path, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }),
      );
      const chunk = `1000\r\n${'a'.repeat(0x1000)}\r\n`;
      const flood = (): void => {
        while (one.socket.writable && one.socket.write(chunk));
        one.socket.once('drain', flood);
      };
      flood();
      await one.closed();
      expect((await kernel.post('/open', { a: 1 })).status).to.equal(200);
    });
  }

  it('send their error response without reading a long body', async () => {
    const one = await line();
    one.socket.write(formatRequestHead('POST', '/guarded', json(5_000_000_000, { ...word, 'x-early': '1' })));
    const early = await one.answer();
    expect([early.status, early.body]).to.deep.equal([200, '{"early":true}']);
    expect(early.head).to.contain('connection: close');
    await one.closed();
  });

  it('do not protect the status page', async () => {
    expect((await kernel.request('GET', '/status')).status).to.equal(200);
    expect(parseRaw(await kernel.raw(formatRequestHead('HEAD', '/status', { connection: 'close' }))).status).to.equal(
      200,
    );
  });

  describe('maintenance', () => {
    it('returns 503 with Retry-After for every request', async () => {
      for (const init of [{}, { headers: word }, { body: '{"a":', headers: { 'content-type': 'text/plain' } }]) {
        const { status, headers, body } = await kernel.request('POST', '/closed', init);
        expect([status, body['code']]).to.deep.equal([503, 'RES_MAINTENANCE']);
        expect(Number(headers.get('retry-after'))).to.be.greaterThan(0);
      }
    });

    it('reports nothing about verbs that are not enabled, or about unreachable resources', async () => {
      expect((await kernel.request('PUT', '/closed')).status).to.equal(405);
      expect((await kernel.post('/helper-only')).status).to.equal(404);
    });

    it('that has ended has no effect', async () => {
      expect((await kernel.post('/reopened', {}, { headers: word })).status).to.equal(200);
    });
  });

  it('of a resource do not run again for a dependency, so the calling resource must have them', async () => {
    const depending = (id: string, rest: object = {}): object => ({
      ...defineReturnResource(id, 1, rest),
      actionables: [{ id: 1, mode: 'RETURN', value: 'in', depends_on: [{ resource_id: 'guarded', action_ids: [1] }] }],
    });
    const around = await startKernel({
      files: { ...FILES, 'definitions/b.json': [depending('thief'), depending('friend', { gate: 'friend' })] },
      config: { plugins: ['builtin:*', GATE] },
      onProblem: 'skip',
    });
    const errors = around.kernel.problems().filter(({ severity }) => severity === 'error');
    expect(errors.map(({ code }) => code)).to.deep.equal(['LNK_PRIVILEGE']);
    expect((await around.post('/thief')).body).to.include({ status: 503, code: 'REQ_BROKEN' });
    expect((await around.post('/friend', {}, { headers: { 'x-word': 'friend' } })).status).to.equal(200);
    await around.close();
  });
});
