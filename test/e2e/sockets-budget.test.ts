/**
 * Unfinished messages have a budget per process and per network: small fragments of many connections use no more than
 * that together, the connection with the most is closed, and all others continue.
 */
import { expect } from 'chai';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { connectRaw, encodeClientFrame, type RawSocket } from '../support/raw-socket.js';
import { connect } from '../support/sockets.js';

const FILES = { 'definitions/a.json': [defineReturnResource('echo', '$PAYLOAD')] };
const UNFINISHED = 400_000;
const PIECE = 30_000;

describe('unfinished messages', () => {
  let kernel: TestKernel;
  const raws: RawSocket[] = [];
  before(async () => {
    const websocket = { enabled: true, limits: { unfinished: UNFINISHED } };
    kernel = await startKernel({ files: FILES, config: { websocket, http: { trusted_proxies: 1 } } });
  });
  afterEach(() => {
    for (const { socket } of raws.splice(0)) socket.destroy();
  });
  after(() => kernel?.close());

  async function open(address: string): Promise<RawSocket> {
    const raw = await connectRaw(kernel.url, '/ws', { 'x-forwarded-for': address });
    raws.push(raw);
    return raw;
  }
  /** Bytes of a message that does not end; the ping is answered once they are read. */
  async function sendPiece(raw: RawSocket, bytes: number, begins = true): Promise<'held' | number | null> {
    raw.write(encodeClientFrame(begins ? 'text' : 0, 'x'.repeat(bytes), { fin: false }), encodeClientFrame('ping'));
    const seen = raw.frames.length;
    return Promise.race([raw.closed, raw.waitForFrame(seen).then(() => 'held' as const)]);
  }

  it('of one network use a quarter of the budget: then the connection with the most is closed with 1013', async () => {
    const heavy = await open('10.0.0.1');
    const others = await Promise.all(['10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.2'].map(open));
    expect(await sendPiece(heavy, 2 * PIECE - 10_000)).to.equal('held');
    for (const one of others) expect(await sendPiece(one, 20_000)).to.equal('held');
    expect(await heavy.closed).to.equal(1013);
    expect(others.map(({ socket }) => socket.destroyed)).to.deep.equal([false, false, false, false]);
  });

  it('of many networks use the budget of the process, whether as one piece or as many', async () => {
    const all = await Promise.all(Array.from({ length: 30 }, (_, n) => open(`10.0.${n}.1`)));
    for (const [n, one] of all.entries()) {
      if (n % 2 === 0) await sendPiece(one, PIECE);
      else for (let part = 0; part < 10; part++) await sendPiece(one, PIECE / 10, part === 0);
    }
    const held = all.filter(({ socket }) => !socket.destroyed);
    expect(held.length * PIECE).to.be.within(UNFINISHED / 2, UNFINISHED);
    const codes = await Promise.all(all.filter((one) => !held.includes(one)).map(({ closed }) => closed));
    expect(new Set(codes)).to.deep.equal(new Set([1013]));
    // Clients that finish messages use no budget, however many they are.
    const client = await connect(kernel.url, { headers: { 'x-forwarded-for': '10.1.0.1' } });
    const text = 'x'.repeat(50_000);
    for (let n = 0; n < 12; n++) expect((await client.sendRequest('echo', { text })).data).to.deep.equal({ text });
    await client.close();
  });

  it('are released when they are finished, or their connection ends', async () => {
    const one = await open('10.0.0.1');
    for (let n = 0; n < 8; n++) {
      expect(await sendPiece(one, PIECE)).to.equal('held');
      const rest = JSON.stringify('x');
      const seen = one.frames.length;
      one.write(encodeClientFrame(0, rest));
      await one.waitForFrame(seen);
      const gone = await open('10.0.0.1');
      expect(await sendPiece(gone, PIECE)).to.equal('held');
      gone.socket.destroy();
      await gone.closed;
    }
    expect(one.socket.destroyed).to.equal(false);
  });
});
