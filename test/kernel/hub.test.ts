/**
 * Connections that are there and not yet known: what is sent meanwhile waits until it is known for whom it is. And messages for more
 * connections than are served at once.
 */
import { expect } from 'chai';
import type { Delivery, Target } from '../../kernel/contract/deferred.js';
import { createHub, type Client, type Hub } from '../../kernel/sockets/hub.js';

const message = (data: number, to: Target, id: string | null = null): Delivery => ({ action: 'told', data, to, id });

function clientOf(uid: string | null, verified = true) {
  const got: unknown[] = [];
  let cuts = 0;
  const client: Client = {
    uid,
    verified,
    until: Infinity,
    rooms: new Set(),
    waiting: null,
    send(frame, left) {
      got.push((JSON.parse(frame.toString()) as { data: unknown }).data);
      left?.();
      return true;
    },
    cut: () => void cuts++,
  };
  return { client, got, cuts: () => cuts };
}

describe('a connection of which nobody knows yet who it is', () => {
  let hub: Hub;
  beforeEach(() => (hub = createHub({ isGuarded: () => true, maxRooms: 10, tell: () => undefined })));

  it('gets what was sent meanwhile and meant for it, before anything newer', () => {
    const arrival = hub.arrive();
    hub.deliver(message(1, { all: true }));
    hub.deliver(message(2, { uids: ['ada'] }));
    hub.deliver(message(3, { uids: ['bob'] }));
    const { client, got } = clientOf('ada');
    hub.add(client, arrival);
    hub.deliver(message(4, { all: true }));
    expect(got).to.deep.equal([1, 2, 4]);
  });

  it('gets nothing of somebody else when nothing proves who it is', () => {
    const arrival = hub.arrive();
    hub.deliver(message(1, { uids: ['ada'] }));
    hub.deliver(message(2, { all: true }));
    const { client, got } = clientOf('ada', false);
    hub.add(client, arrival);
    expect(got).to.deep.equal([2]);
  });

  it('gets what it has missed before it, and each once', async () => {
    const arrival = hub.arrive();
    hub.deliver(message(2, { all: true }, 'b'));
    const { client, got } = clientOf('ada');
    hub.add(client, arrival, true);
    hub.deliver(message(3, { all: true }, 'c'));
    expect(got).to.deep.equal([]);
    await hub.catchUp(client, [message(1, { all: true }, 'a'), message(2, { all: true }, 'b')]);
    expect(got).to.deep.equal([1, 2, 3]);
  });

  it('is cut off when too much has come, and forgotten when it has gone', () => {
    const [arrival, gone] = [hub.arrive(), hub.arrive()];
    hub.leaves(gone);
    for (let n = 0; n < 1500; n++) hub.deliver(message(n, { all: true }));
    const { client, got, cuts } = clientOf(null);
    hub.add(client, arrival);
    expect(got).to.deep.equal([]);
    expect(cuts()).to.equal(1);
    expect(arrival.messages.length).to.be.lessThan(1500);
    expect(gone.messages).to.deep.equal([]);
  });
});

describe('messages for thousands of connections', () => {
  it('let other work have its turn, and arrive in order also when they come faster than they are sent', async () => {
    const reports: [number, number][] = [];
    const tell = (_action: string, receivers: number, dropped: number): void => void reports.push([receivers, dropped]);
    const hub = createHub({ isGuarded: () => false, maxRooms: 10, tell });
    const clients = Array.from({ length: 1200 }, (_, n) => clientOf(`u${n}`));
    for (const { client } of clients) hub.add(client);
    const [first, last] = [clients[0]!, clients.at(-1)!];
    hub.deliver(message(0, { all: true }));
    expect([first.got, last.got]).to.deep.equal([[0], []]);
    hub.deliver(message(1, { uids: ['u0', 'u1199'] }));
    for (let n = 2; n < 100; n++) hub.deliver(message(n, { all: true }));
    expect(last.got, 'up to here all of it waits').to.deep.equal([]);
    // From here on the sender waits: no more may be on its way.
    for (let n = 100; n < 110; n++) hub.deliver(message(n, { all: true }));
    expect(last.got.length).to.be.greaterThan(100);
    while (reports.length < 110) await new Promise((resolve) => setImmediate(resolve));
    const all = Array.from({ length: 110 }, (_, n) => n);
    const others = all.filter((n) => n !== 1);
    for (const [index, { got }] of clients.entries())
      expect(got).to.deep.equal(index === 0 || index === 1199 ? all : others);
    expect(reports.filter(([receivers]) => receivers === 2)).to.deep.equal([[2, 0]]);
    expect(reports.filter(([receivers]) => receivers === 1200)).to.have.length(109);
  });
});
