/** Bytes that a client has read of a response in one write, and the deadline that moves with it. */
import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { expect } from 'chai';
import { countSent, MovingDeadline } from '../../contract/moving-deadline.js';
import { waitUntil } from '../support/until.js';

const WHOLE = 50_000_000;

describe('bytes that a client has read', () => {
  it('are counted while one large write is in progress', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    const [socket] = (await once(server, 'connection')) as [Socket];
    const taken = (): number => countSent(socket);
    socket.write(Buffer.alloc(WHOLE));
    await waitUntil(() => taken() > 0, 'the first bytes');
    expect([socket.bytesWritten, socket.writableLength]).to.deep.equal([WHOLE, WHOLE]);
    expect(taken()).to.be.lessThan(WHOLE);
    client.resume();
    await waitUntil(() => taken() === WHOLE, 'all bytes');
    client.destroy();
    socket.destroy();
    server.close();
  });

  it('are those of the socket if its handle is closed', () => {
    expect(countSent({ bytesWritten: 30, writableLength: 10, _handle: null })).to.equal(20);
  });

  it('extend a deadline by a second for each 256 KiB, as long as some are read in time', () => {
    let [now, taken] = [0, 7_000_000];
    const deadline = new MovingDeadline(30_000, 30_000);
    const find = (): number => deadline.current;
    now = 50_000;
    expect([find(), deadline.movedAt]).to.deep.equal([30_000, null]);
    now = 0;
    deadline.followClient({ now: () => now }, () => taken);
    expect([find(), deadline.movedAt]).to.deep.equal([30_000, 0]);
    now = 20_000;
    taken += 262_144 * 5;
    expect(find()).to.equal(35_000);
    taken += 262_144 * 500;
    expect(find()).to.equal(50_000);
    now = 40_000;
    expect([find(), deadline.movedAt]).to.deep.equal([50_000, 20_000]);
    taken++;
    expect(find()).to.equal(70_000);
  });
});
