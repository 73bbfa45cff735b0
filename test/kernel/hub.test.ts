/** Connections that are there and not yet known: what is sent meanwhile waits until it is known for whom it is. */
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
