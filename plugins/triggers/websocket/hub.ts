/** Registers the connections of this process by uid and room, and delivers messages to them. */
import type { Delivery, UidNamespace } from '../../../contract/delivery.js';
import type { JsonObject } from '../../../contract/json.js';
import { formatRoomKey } from '../../shared/room-names.js';
import { createDeliveryFrame, serializeShared, type SharedFrame } from './message.js';

export interface Client {
  readonly uid: string | null;
  /** A token proved the uid. */
  readonly verified: boolean;
  /** Token expiry in milliseconds since 1970, after which targeted and room messages are withheld. */
  readonly until: number;
  /** The guard realms that admit this uid, each with its expiry. */
  readonly realms: ReadonlyMap<string, number>;
  readonly rooms: Set<string>;
  /** Messages queued behind a replay; null when there is none. */
  waiting: Delivery[] | null;
  /** `left` is called once the frame was sent or failed. Returns false on a closed connection. */
  send(frame: Buffer | SharedFrame, left?: () => void): boolean;
  closeSlowConsumer(): void;
}

/** Messages sent during authentication. */
export interface PendingConnection {
  readonly messages: Delivery[];
}

export interface Hub {
  readonly count: number;
  register(): PendingConnection;
  unregister(arrival: PendingConnection): void;
  /** Delivers the messages since `register` first. `late`: queues messages until `replayMissed`. */
  add(client: Client, arrival?: PendingConnection, late?: boolean): void;
  remove(client: Client): void;
  /** False when the client has left, or has reached the maximum number of rooms. */
  join(client: Client, room: string): boolean;
  leaveRoom(client: Client, room: string): void;
  deliverMessage(message: Delivery): void;
  /** Of the first connections; tokens and headers are not shown. */
  describe(): JsonObject;
  /**
   * Replays `missed` for this client, then the queued ones. Waits for each send, because all may exceed the buffer.
   */
  replayMissed(client: Client, missed: readonly Delivery[]): Promise<void>;
}

export interface HubInput {
  /** Some resource authenticates callers, so a claimed uid is not sufficient. */
  readonly isGuarded: () => boolean;
  /** Unauthenticated connections may use the uid they claim. */
  readonly trustsClaimedUid?: boolean;
  readonly maxRooms: number;
  readonly onDelivered: (action: string, receivers: number, dropped: number) => void;
  /** Called for a recipient that does not receive the message. */
  readonly onMissed?: (action: string, cause: string) => void;
}

interface Outgoing {
  readonly message: Delivery;
  readonly write: (uid: string | null) => SharedFrame;
  readonly clients: Client[];
  readonly receivers: number;
  dropped: number;
}

/** Recipients served before the event loop runs other work. */
const AT_ONCE = 500;
/** Maximum number of queued deliveries before a new one is sent synchronously. */
const MAX_OUTBOX = 100;

/** False when the message is dropped. */
function sendOrQueue(client: Client, { message, write }: Pick<Outgoing, 'message' | 'write'>): boolean {
  if (client.waiting === null) return client.send(write(client.uid));
  if (client.waiting.push(message) <= MAX_WAITING) return true;
  client.closeSlowConsumer();
  return false;
}

const OVER = 'its token is over';
const UNPROVEN = 'it shows no token that proves its uid';

const MAX_WAITING = 1000;
const MAX_SHOWN = 200;

type Groups = Map<string, Set<Client>>;

export function createHub({
  isGuarded,
  trustsClaimedUid = false,
  maxRooms,
  onDelivered,
  onMissed = () => undefined,
}: HubInput): Hub {
  const all = new Set<Client>();
  const byUid: Groups = new Map();
  const byRoom: Groups = new Map();
  const arriving = new Set<PendingConnection>();

  /** The reason to withhold a targeted message. A claimed uid is not enough. */
  function findBlockReason(
    { verified, until, realms }: Client,
    of: UidNamespace | undefined,
    now: number,
  ): string | null {
    if (until <= now) return OVER;
    if (trustsClaimedUid && !verified) return null;
    if (of === undefined || of.realm === null) return verified || !isGuarded() || of?.open === true ? null : UNPROVEN;
    if ((realms.get(of.realm) ?? 0) > now) return null;
    if (!verified) return of.open ? null : UNPROVEN;
    return 'the guard of the message does not let in its token';
  }

  const isOwner = (client: Client, of: UidNamespace | undefined, action: string, now: number): boolean => {
    const cause = findBlockReason(client, of, now);
    if (cause !== null) onMissed(action, cause);
    return cause === null;
  };

  function findReceivers({ to, action }: Delivery, now: number): Iterable<Client> {
    if ('all' in to) return all;
    if ('uids' in to) return listMembers(byUid, to.uids).filter((client) => isOwner(client, to.of, action, now));
    return listMembers(byRoom, to.rooms).filter(({ until }) => {
      if (until <= now) onMissed(action, OVER);
      return until > now;
    });
  }

  function isFor(client: Client, { to, action }: Delivery, now: number): boolean {
    if ('all' in to) return true;
    if ('rooms' in to) return false;
    return client.uid !== null && to.uids.includes(client.uid) && isOwner(client, to.of, action, now);
  }

  /** Sent in batches, so that thousands of recipients do not block the event loop. */
  const outbox: Outgoing[] = [];
  function flushOutbox(): void {
    // A full outbox is flushed synchronously, which slows the sender down.
    let left = outbox.length > MAX_OUTBOX ? Infinity : AT_ONCE;
    for (let first = outbox[0]; first !== undefined; first = outbox[0]) {
      const next = first.clients.splice(0, left);
      for (const client of next) if (!sendOrQueue(client, first)) first.dropped += 1;
      left -= next.length;
      if (first.clients.length === 0) {
        outbox.shift();
        const { message, receivers, dropped } = first;
        if (dropped > 0) onMissed(message.action, 'it is closed, or does not read what it is sent');
        onDelivered(message.action, receivers - dropped, dropped);
      }
      if (left === 0 && outbox.length > 0) return void setImmediate(flushOutbox);
    }
  }

  return {
    get count() {
      return all.size;
    },
    register() {
      const arrival: PendingConnection = { messages: [] };
      arriving.add(arrival);
      return arrival;
    },
    unregister: (arrival) => void arriving.delete(arrival),
    add(client, arrival, late = false) {
      all.add(client);
      if (client.uid !== null) addMember(byUid, client.uid, client);
      if (late) client.waiting = [];
      if (arrival === undefined) return;
      arriving.delete(arrival);
      if (arrival.messages.length > MAX_WAITING) return client.closeSlowConsumer();
      const now = Date.now();
      for (const message of arrival.messages)
        if (isFor(client, message, now)) sendOrQueue(client, { message, write: createFrameWriter(message) });
    },
    remove(client) {
      all.delete(client);
      if (client.uid !== null) removeMember(byUid, client.uid, client);
      for (const room of client.rooms) removeMember(byRoom, room, client);
      client.rooms.clear();
    },
    join(client, room) {
      if (client.rooms.has(room)) return true;
      // A removed client would stay in the room indefinitely.
      if (client.rooms.size >= maxRooms || !all.has(client)) return false;
      client.rooms.add(room);
      addMember(byRoom, room, client);
      return true;
    },
    leaveRoom(client, room) {
      if (client.rooms.delete(room)) removeMember(byRoom, room, client);
    },
    deliverMessage(message) {
      for (const { messages } of arriving) if (messages.length <= MAX_WAITING) messages.push(message);
      const clients = [...findReceivers(message, Date.now())];
      outbox.push({ message, write: createFrameWriter(message), clients, receivers: clients.length, dropped: 0 });
      if (outbox.length === 1 || outbox.length > MAX_OUTBOX) flushOutbox();
    },
    describe: () => ({
      rooms: [...byRoom]
        .slice(0, MAX_SHOWN)
        .map(([key, members]) => ({ room: formatRoomKey(key), members: members.size })),
      connections: [...all].slice(0, MAX_SHOWN).map(({ uid, verified, until, rooms, waiting }) => ({
        uid,
        verified,
        'token until': Number.isFinite(until) ? new Date(until).toISOString() : null,
        rooms: [...rooms].map(formatRoomKey).join(', '),
        waiting: waiting?.length ?? 0,
      })),
    }),
    async replayMissed(client, missed) {
      const send = (message: Delivery): Promise<void> =>
        new Promise((left) => client.send(createFrameWriter(message)(client.uid), left));
      const delivered = new Set(client.waiting?.map(({ id }) => id));
      const sent = new Set<Delivery['id']>();
      for (const message of missed) {
        // Room messages are replayed only if they arrived while the connection was in the room.
        const isTold = 'rooms' in message.to ? delivered.has(message.id) : isFor(client, message, Date.now());
        if (!isTold) continue;
        sent.add(message.id);
        await send(message);
      }
      for (let next = client.waiting?.shift(); next !== undefined; next = client.waiting?.shift())
        if (next.id === null || !sent.has(next.id)) await send(next);
      client.waiting = null;
    },
  };
}

/** Serializes the data once. */
function createFrameWriter({ action, data, id }: Delivery): (uid: string | null) => SharedFrame {
  let shared: Buffer | null = null;
  let last: { readonly uid: string | null; readonly frame: SharedFrame } | null = null;
  return (uid) => {
    if (last?.uid !== uid) last = null;
    // Caches only the last frame, because each one is a copy of the data.
    last ??= { uid, frame: createDeliveryFrame(uid, (shared ??= serializeShared(action, data, id))) };
    return last.frame;
  };
}

function listMembers(groups: Groups, names: readonly string[]): Client[] {
  const [only] = names;
  if (names.length === 1 && only !== undefined) return [...(groups.get(only) ?? [])];
  return [...new Set(names.flatMap((name) => [...(groups.get(name) ?? [])]))];
}

function addMember(groups: Groups, name: string, client: Client): void {
  const group = groups.get(name);
  if (group === undefined) groups.set(name, new Set([client]));
  else group.add(client);
}

function removeMember(groups: Groups, name: string, client: Client): void {
  const group = groups.get(name);
  group?.delete(client);
  if (group?.size === 0) groups.delete(name);
}
