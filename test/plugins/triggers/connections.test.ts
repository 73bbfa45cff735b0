/**
 * Connections of a process as messages find them, without sockets: remains of a closed one, the number of rooms, and
 * connections that wait for older messages.
 */
import { expect } from 'chai';
import type { Delivery, Target } from '../../../contract/delivery.js';
import { createHub, type Client } from '../../../plugins/triggers/websocket/hub.js';
import { SharedFrame } from '../../../plugins/triggers/websocket/message.js';

const INPUT = { isGuarded: () => true, maxRooms: 2, onDelivered: (): void => undefined };

interface ListeningClient {
  readonly client: Client;
  readonly received: string[];
  readonly cuts: () => number;
}

function ear(uid: string | null, given: Partial<Client> = {}): ListeningClient {
  const received: string[] = [];
  let cuts = 0;
  const client: Client = {
    ...{
      uid,
      verified: true,
      until: Infinity,
      realms: new Map<string, number>(),
      rooms: new Set<string>(),
      waiting: null,
    },
    ...given,
    send(frame, left) {
      received.push(
        (JSON.parse((frame instanceof SharedFrame ? frame.text : frame).toString()) as { action: string }).action,
      );
      left?.();
      return true;
    },
    closeSlowConsumer: () => void cuts++,
  };
  return { client, received, cuts: () => cuts };
}

const message = (action: string, to: Target, id: string | null = null): Delivery => ({ action, data: null, to, id });

describe('connections of a process', () => {
  it('release the uid and the rooms of a closed one', () => {
    const hub = createHub(INPUT);
    const { client, received } = ear('ada');
    hub.add(client);
    hub.join(client, 'room');
    hub.remove(client);
    expect(hub.count).to.equal(0);
    for (const to of [{ all: true }, { uids: ['ada'] }, { rooms: ['room'] }] as const)
      hub.deliverMessage(message('late', to));
    expect(received).to.deep.equal([]);
  });

  it('add a closed one to no room', () => {
    const hub = createHub(INPUT);
    const { client, received } = ear('ada');
    hub.add(client);
    hub.remove(client);
    hub.join(client, 'room');
    hub.deliverMessage(message('late', { rooms: ['room'] }));
    expect({ heard: received, rooms: client.rooms.size }).to.deep.equal({ heard: [], rooms: 0 });
  });

  it('join up to the maximum number of rooms; leaving one makes space', () => {
    const hub = createHub(INPUT);
    const { client, received } = ear('ada');
    hub.add(client);
    expect(['a', 'b', 'a', 'c'].map((room) => hub.join(client, room))).to.deep.equal([true, true, true, false]);
    hub.leaveRoom(client, 'a');
    expect(hub.join(client, 'c')).to.equal(true);
    for (const room of ['a', 'b', 'c']) hub.deliverMessage(message(room, { rooms: [room] }));
    expect(received).to.deep.equal(['b', 'c']);
  });

  it('receive messages for an owner only while the token that proved it is valid', () => {
    const hub = createHub(INPUT);
    const ears = [ear('ada'), ear('ada', { verified: false }), ear('ada', { until: Date.now() - 1 })];
    for (const { client } of ears) hub.add(client);
    hub.deliverMessage(message('own', { uids: ['ada'] }));
    hub.deliverMessage(message('all', { all: true }));
    expect(ears.map(({ received }) => received)).to.deep.equal([['own', 'all'], ['all'], ['all']]);
  });

  it('receive what they missed before newer messages, and nothing twice', async () => {
    const hub = createHub(INPUT);
    const { client, received } = ear('ada', { waiting: [] });
    hub.add(client);
    hub.deliverMessage(message('both', { all: true }, '2'));
    hub.deliverMessage(message('new', { all: true }, '3'));
    hub.deliverMessage(message('nameless', { all: true }));
    const missed = [message('old', { all: true }, '1'), message('other', { uids: ['eve'] }, '1a')];
    await hub.replayMissed(client, [...missed, message('both', { all: true }, '2')]);
    hub.deliverMessage(message('newest', { all: true }, '4'));
    expect(received).to.deep.equal(['old', 'both', 'new', 'nameless', 'newest']);
  });

  it('are closed when too many messages wait', () => {
    const hub = createHub(INPUT);
    const { client, cuts } = ear('ada', { waiting: [] });
    hub.add(client);
    for (let n = 0; n < 1000; n++) hub.deliverMessage(message('one', { all: true }));
    expect(cuts()).to.equal(0);
    hub.deliverMessage(message('one', { all: true }));
    expect(cuts()).to.equal(1);
  });
});
