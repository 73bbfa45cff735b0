/**
 * Clients that read a streamed result slowly and steadily: they receive the whole beyond the deadline of the request, and beyond it
 * yield the only connection of the pool to a request that waits for one, not before. Time passes with the pieces that they take.
 */
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { SQL } from '../support/databases.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { replaceTime, type ManualTime } from '../support/manual-time.js';
import { defineQueryResource } from '../support/project.js';
import { skipTest } from '../support/skip.js';
import { createStalledReaders } from '../support/stalled-readers.js';

/** Seconds of a request. */
const DEADLINE = 2.5;
/** The system reports what a client reads in steps of up to a third of its buffer of four million bytes. */
const PIECE = 1_000_000;
/** Milliseconds for each piece. */
const PACE = 200;
/** 40 million bytes: the buffers of the system hold about ten, so that the server still sends long after the deadline. */
const WIDE = `WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 800)
  SELECT n, repeat('x', 50000) AS t FROM s`;
const END = ']\r\n0\r\n\r\n';

const FILES = {
  'definitions/a.json': [defineQueryResource('wide', WIDE), defineQueryResource('fine', 'SELECT 1 AS one')],
};

class SteadyReader {
  isClosed = false;
  #end = '';
  #taken = 0;
  #onChange = (): void => undefined;
  readonly #begun: number;

  constructor(
    private readonly socket: Socket,
    private readonly time: ManualTime,
  ) {
    this.#begun = time.now();
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#taken += text.length;
      this.#end = (this.#end + text).slice(-END.length);
      this.#onChange();
    });
    socket.on('close', () => {
      this.isClosed = true;
      this.#onChange();
    });
  }

  /** Seconds since the first bytes. */
  get elapsed(): number {
    return (this.time.now() - this.#begun) / 1000;
  }

  get isWhole(): boolean {
    return this.#end === END;
  }

  /** Until the response has ended, or `isOver` returns true. */
  async read(isOver = (): boolean => false): Promise<void> {
    while (!this.isClosed && !this.isWhole && !isOver()) {
      const next = this.#taken + PIECE;
      await new Promise<void>((resolve) => {
        this.#onChange = () => {
          if (this.isClosed || this.isWhole || this.#taken >= next) resolve();
        };
        this.socket.resume();
      });
      this.socket.pause();
      await this.time.advance(PACE);
    }
  }
}

for (const { name, make, config } of SQL.filter((one) => one.name === 'postgres' || one.name === 'mariadb'))
  describe(`streamed results of slow and steady clients (${name})`, () => {
    let kernel: TestKernel;
    let time: ManualTime;
    const readers = createStalledReaders();
    before(async function () {
      const url = (await make?.()) ?? { skip: 'no server' };
      if (typeof url !== 'string') return skipTest(this, url.skip);
      time = replaceTime();
      kernel = await startKernel({
        files: FILES,
        config: {
          ...config('$ENV.DATABASE', { pool_size: 1, pool_wait: 1 }),
          http: { timeouts: { request: DEADLINE, idle: 600 }, limits: { unread: 1_000_000 } },
        },
        env: { DATABASE: url },
      });
    });
    afterEach(() => readers.close());
    after(async () => {
      time?.restoreGlobals();
      await kernel?.close();
    });

    const beginReading = async (): Promise<SteadyReader> =>
      new SteadyReader(await readers.read(kernel.server.port, '/wide', {}), time);
    const findFailures = () =>
      kernel.log
        .filter(({ message }) => message === 'request failed')
        .map(({ fields: { resource, action, code } }) => [resource, action, code]);

    it('are complete beyond the deadline of the request; a request that waits before it gets no connection', async () => {
      const reader = await beginReading();
      const [other] = await Promise.all([kernel.post('/fine', {}), reader.read()]);
      expect([other.status, other.body['code']]).to.deep.equal([503, 'QRY_UNAVAILABLE']);
      expect(reader.elapsed).to.be.greaterThan(DEADLINE * 2);
      expect(reader.isWhole).to.equal(true);
      expect(findFailures()).to.deep.equal([['fine', 'fine#1', 'QRY_UNAVAILABLE']]);
    });

    it('are cut off beyond it for a request that waits for the connection; the location is logged', async () => {
      const before = findFailures().length;
      const reader = await beginReading();
      await reader.read(() => reader.elapsed > DEADLINE + 0.5);
      expect(reader.isClosed).to.equal(false);
      const [other] = await Promise.all([kernel.post('/fine', {}), reader.read()]);
      expect([other.status, other.body]).to.deep.equal([200, { one: 1 }]);
      expect([reader.isClosed, reader.isWhole]).to.deep.equal([true, false]);
      expect(findFailures().slice(before)).to.deep.equal([['wide', 'wide#1', 'QRY_UNAVAILABLE']]);
    });
  });
