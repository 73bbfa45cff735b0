/**
 * Connections whose identity is pending: messages wait until it is known. And messages for more connections than are
 * served at once.
 */
import { expect } from 'chai';
import type { Delivery, Target } from '../../../contract/delivery.js';
import { createHub, type Client, type Hub } from '../../../plugins/triggers/websocket/hub.js';
import { SharedFrame } from '../../../plugins/triggers/websocket/message.js';

const message = (data: number, to: Target, id: string | null = null): Delivery => ({
  action: 'reported',
  data,
  to,
  id,
});

function createClient(uid: string | null, verified = true) {
  const got: unknown[] = [];
  let cuts = 0;
  const client: Client = {
    uid,
    verified,
    until: Infinity,
    realms: new Map(),
    rooms: new Set(),
    waiting: null,
    send(frame, left) {
      got.push((JSON.parse((frame instanceof SharedFrame ? frame.text : frame).toString()) as { data: unknown }).data);
      left?.();
      return true;
    },
    closeSlowConsumer: () => void cuts++,
  };
  return { client, got, cuts: () => cuts };
}

describe('connection that is not identified yet', () => {
  let hub: Hub;
  beforeEach(() => (hub = createHub({ isGuarded: () => true, maxRooms: 10, onDelivered: () => undefined })));

  it('receives earlier messages addressed to it before newer ones', () => {
    const arrival = hub.register();
    hub.deliverMessage(message(1, { all: true }));
    hub.deliverMessage(message(2, { uids: ['ada'] }));
    hub.deliverMessage(message(3, { uids: ['bob'] }));
    const { client, got } = createClient('ada');
    hub.add(client, arrival);
    hub.deliverMessage(message(4, { all: true }));
    expect(got).to.deep.equal([1, 2, 4]);
  });

  it('receives no message of another user without a proof', () => {
    const arrival = hub.register();
    hub.deliverMessage(message(1, { uids: ['ada'] }));
    hub.deliverMessage(message(2, { all: true }));
    const { client, got } = createClient('ada', false);
    hub.add(client, arrival);
    expect(got).to.deep.equal([2]);
  });

  it('receives the messages it has missed first, and each once', async () => {
    const arrival = hub.register();
    hub.deliverMessage(message(2, { all: true }, 'b'));
    const { client, got } = createClient('ada');
    hub.add(client, arrival, true);
    hub.deliverMessage(message(3, { all: true }, 'c'));
    expect(got).to.deep.equal([]);
    await hub.replayMissed(client, [message(1, { all: true }, 'a'), message(2, { all: true }, 'b')]);
    expect(got).to.deep.equal([1, 2, 3]);
  });

  it('is closed when too many messages wait, and forgotten when it is closed', () => {
    const [arrival, gone] = [hub.register(), hub.register()];
    hub.unregister(gone);
    for (let n = 0; n < 1500; n++) hub.deliverMessage(message(n, { all: true }));
    const { client, got, cuts } = createClient(null);
    hub.add(client, arrival);
    expect(got).to.deep.equal([]);
    expect(cuts()).to.equal(1);
    expect(arrival.messages.length).to.be.lessThan(1500);
    expect(gone.messages).to.deep.equal([]);
  });
});

describe('message delivery', () => {
  function setUp({ guarded = true, maxRooms = 2 } = {}) {
    const reported: unknown[] = [];
    const hub = createHub({ isGuarded: () => guarded, maxRooms, onDelivered: (...given) => void reported.push(given) });
    const add = (uid: string | null, rest: Partial<Client> = {}) => {
      const made = createClient(uid);
      const client = Object.assign(made.client, rest);
      hub.add(client);
      return { ...made, client };
    };
    return { hub, reported, add };
  }

  it('reaches all, also those without a uid and with an expired token', () => {
    const { hub, reported, add } = setUp();
    const all = [add(null), add('ada'), add('ada', { verified: false }), add('bob', { until: 0 })];
    hub.deliverMessage(message(1, { all: true }));
    expect([all.map(({ got }) => got), reported, hub.count]).to.deep.equal([
      [[1], [1], [1], [1]],
      [['reported', 4, 0]],
      4,
    ]);
  });

  it('reaches every connection of a uid once, unless its token has expired or a required proof is missing', () => {
    for (const guarded of [true, false]) {
      const { hub, reported, add } = setUp({ guarded });
      const [ada, again, unproven] = [add('ada'), add('ada'), add('ada', { verified: false })];
      const [over, bob] = [add('ada', { until: Date.now() }), add('bob')];
      hub.deliverMessage(message(1, { uids: ['ada', 'bob', 'none', 'ada'] }));
      hub.deliverMessage(message(2, { uids: ['none'] }));
      hub.deliverMessage(message(3, { uids: ['ada'] }));
      const both = [1, 3];
      expect([ada, again, unproven, over, bob].map(({ got }) => got)).to.deep.equal([
        ...[both, both, guarded ? [] : both, []],
        [1],
      ]);
      const many = guarded ? 2 : 3;
      expect(reported).to.deep.equal([
        ['reported', many + 1, 0],
        ['reported', 0, 0],
        ['reported', many, 0],
      ]);
    }
  });

  it('reaches the members of a room once, until they leave, disconnect, or their token expires', () => {
    const { hub, add } = setUp();
    const [ada, bob, over] = [add('ada'), add(null), add('eve', { until: 0 })];
    for (const { client } of [ada, bob, over]) expect(hub.join(client, 'a')).to.equal(true);
    hub.join(ada.client, 'b');
    hub.deliverMessage(message(1, { rooms: ['a', 'b'] }));
    hub.deliverMessage(message(2, { rooms: ['b'] }));
    hub.leaveRoom(ada.client, 'b');
    hub.leaveRoom(ada.client, 'never joined');
    hub.deliverMessage(message(3, { rooms: ['b'] }));
    hub.deliverMessage(message(4, { rooms: ['a'] }));
    hub.remove(ada.client);
    hub.deliverMessage(message(5, { rooms: ['a', 'none'] }));
    hub.deliverMessage(message(6, { uids: ['ada'] }));
    expect([ada, bob, over].map(({ got }) => got)).to.deep.equal([[1, 2, 4], [1, 4, 5], []]);
    expect([hub.count, [...ada.client.rooms], [...bob.client.rooms]]).to.deep.equal([2, [], ['a']]);
  });

  it('reaches no members of a room beyond the limit, and none that have left', () => {
    const { hub, add } = setUp({ maxRooms: 2 });
    const { client, got } = add('ada');
    expect(['a', 'b', 'a', 'c'].map((room) => hub.join(client, room))).to.deep.equal([true, true, true, false]);
    hub.leaveRoom(client, 'a');
    expect(hub.join(client, 'c')).to.equal(true);
    hub.deliverMessage(message(1, { rooms: ['a'] }));
    hub.deliverMessage(message(2, { rooms: ['c'] }));
    const gone = add('bob');
    hub.remove(gone.client);
    expect([hub.join(gone.client, 'a'), [...gone.client.rooms]]).to.deep.equal([false, []]);
    hub.deliverMessage(message(3, { rooms: ['a'] }));
    expect([got, gone.got]).to.deep.equal([[2], []]);
  });

  it('skips a slow connection: the message is dropped, and the connection is closed beyond a thousand that wait', () => {
    const { hub, reported, add } = setUp();
    const [deaf, late] = [add('ada', { send: () => false }), add('bob', { waiting: [] })];
    for (let n = 0; n < 1000; n++) hub.deliverMessage(message(n, { uids: ['bob'] }));
    expect([late.cuts(), late.client.waiting?.length]).to.deep.equal([0, 1000]);
    hub.deliverMessage(message(1000, { all: true }));
    expect([late.cuts(), reported.at(-1), deaf.got]).to.deep.equal([1, ['reported', 0, 2], []]);
  });

  it('after a gap reaches only its own messages, and those of a room only if it has received them before', async () => {
    const { hub, add } = setUp();
    const { client, got } = add('ada', { waiting: [] });
    hub.join(client, 'a');
    hub.deliverMessage(message(4, { rooms: ['a'] }, 'four'));
    hub.deliverMessage(message(5, { uids: ['ada'] }));
    await hub.replayMissed(client, [
      message(1, { uids: ['ada'] }, 'one'),
      message(2, { uids: ['bob'] }, 'two'),
      message(3, { rooms: ['a'] }, 'three'),
      message(4, { rooms: ['a'] }, 'four'),
    ]);
    expect([got, client.waiting]).to.deep.equal([[1, 4, 5], null]);
    hub.deliverMessage(message(6, { rooms: ['a'] }));
    expect(got).to.deep.equal([1, 4, 5, 6]);
  });
});

describe('messages for thousands of connections', () => {
  it('let other work run, and are delivered in order also when they are sent faster than received', async () => {
    const reports: [number, number][] = [];
    const recordReport = (_action: string, receivers: number, dropped: number): void =>
      void reports.push([receivers, dropped]);
    const hub = createHub({ isGuarded: () => false, maxRooms: 10, onDelivered: recordReport });
    const clients = Array.from({ length: 1200 }, (_, n) => createClient(`u${n}`));
    for (const { client } of clients) hub.add(client);
    const [first, last] = [clients[0]!, clients.at(-1)!];
    hub.deliverMessage(message(0, { all: true }));
    expect([first.got, last.got]).to.deep.equal([[0], []]);
    hub.deliverMessage(message(1, { uids: ['u0', 'u1199'] }));
    for (let n = 2; n < 100; n++) hub.deliverMessage(message(n, { all: true }));
    expect(last.got, 'up to here all of it waits').to.deep.equal([]);
    // From here on the sender waits: its limit is reached.
    for (let n = 100; n < 110; n++) hub.deliverMessage(message(n, { all: true }));
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
