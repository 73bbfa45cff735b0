/**
 * The connections of this process, by receiver and by room, and how messages find them. It writes frames and hands them to
 * connections; how bytes leave, and who may connect, is not known here.
 */
import type { Delivery, Owners } from '../contract/deferred.js';
import { deliveryFrame, sharedPart } from './message.js';

/** A connection, as messages see it. */
export interface Client {
  readonly uid: string | null;
  /** What a token proved says that this is its uid. */
  readonly verified: boolean;
  /** Milliseconds since 1970: then the token is over, and what is meant for its owner goes here no more. */
  readonly until: number;
  /** Whose callers it is one of, with its uid; until when. */
  readonly realms: ReadonlyMap<string, number>;
  readonly rooms: Set<string>;
  /** Messages that have to wait until older ones were sent; null: nothing has to. */
  waiting: Delivery[] | null;
  /** `left`: is called when it has left, or never will. False: it never will. */
  send(frame: Buffer, left?: () => void): boolean;
  /** It does not keep up. */
  cut(): void;
}

/** What was sent while somebody was connected and not yet known: whether it was meant for it is found out when it is added. */
export interface Arrival {
  readonly messages: Delivery[];
}

export interface Hub {
  readonly count: number;
  /** Somebody is there; who it is will be known soon. */
  arrive(): Arrival;
  /** It is known, or gone. */
  leaves(arrival: Arrival): void;
  /** What has come since its arrival is sent first; `late`: it has to wait for `catchUp`. */
  add(client: Client, arrival?: Arrival, late?: boolean): void;
  remove(client: Client): void;
  /** False: it is in as many rooms as one may be. */
  join(client: Client, room: string): boolean;
  leave(client: Client, room: string): void;
  deliver(message: Delivery): void;
  /**
   * Sends those of `missed` that are meant for this client, then what has come meanwhile; as fast as it reads, for all of it
   * together may be more than what may wait.
   */
  catchUp(client: Client, missed: readonly Delivery[]): Promise<void>;
}

export interface HubInput {
  /** Callers are told apart by proofs: then a uid alone is none. */
  readonly isGuarded: () => boolean;
  /** A connection that shows no token has the uid that it says. */
  readonly believes?: boolean;
  readonly maxRooms: number;
  /** A message was handed to those it is meant for. */
  readonly tell: (action: string, receivers: number, dropped: number) => void;
  /** Somebody whom a message is addressed to does not get it. */
  readonly miss?: (action: string, cause: string) => void;
}

interface Outgoing {
  readonly message: Delivery;
  readonly write: (uid: string | null) => Buffer;
  /** Those that have not got it yet. */
  readonly clients: Client[];
  readonly receivers: number;
  dropped: number;
}

/** Clients that get a message before others have their turn. */
const AT_ONCE = 500;
/** Messages that are on their way at most. */
const MAX_OUTBOX = 100;

/** False: it is lost. */
function hand(client: Client, { message, write }: Pick<Outgoing, 'message' | 'write'>): boolean {
  if (client.waiting === null) return client.send(write(client.uid));
  if (client.waiting.push(message) <= MAX_WAITING) return true;
  client.cut();
  return false;
}

const OVER = 'its token is over';
const UNPROVEN = 'it shows no token that proves its uid';

/** Messages that wait for older ones at most. */
const MAX_WAITING = 1000;

type Groups = Map<string, Set<Client>>;

export function createHub({ isGuarded, believes = false, maxRooms, tell, miss = () => undefined }: HubInput): Hub {
  const all = new Set<Client>();
  const byUid: Groups = new Map();
  const byRoom: Groups = new Map();
  const arriving = new Set<Arrival>();

  /** What is meant for somebody must not reach who only says that he is it. Null: it may; otherwise why not. */
  function whyNot({ verified, until, realms }: Client, of: Owners | undefined, now: number): string | null {
    if (until <= now) return OVER;
    if (believes && !verified) return null;
    if (of === undefined || of.realm === null) return verified || !isGuarded() || of?.open === true ? null : UNPROVEN;
    if ((realms.get(of.realm) ?? 0) > now) return null;
    if (!verified) return of.open ? null : UNPROVEN;
    return 'the guard of the message does not let in its token';
  }

  const isOwner = (client: Client, of: Owners | undefined, action: string, now: number): boolean => {
    const cause = whyNot(client, of, now);
    if (cause !== null) miss(action, cause);
    return cause === null;
  };

  function receivers({ to, action }: Delivery, now: number): Iterable<Client> {
    if ('all' in to) return all;
    if ('uids' in to) return members(byUid, to.uids).filter((client) => isOwner(client, to.of, action, now));
    return members(byRoom, to.rooms).filter(({ until }) => {
      if (until <= now) miss(action, OVER);
      return until > now;
    });
  }

  function isFor(client: Client, { to, action }: Delivery, now: number): boolean {
    if ('all' in to) return true;
    if ('rooms' in to) return false;
    return client.uid !== null && to.uids.includes(client.uid) && isOwner(client, to.of, action, now);
  }

  /** Thousands of clients must not hold everybody else up; messages keep their order all the same. */
  const outbox: Outgoing[] = [];
  function pump(): void {
    // Who sends faster than this has to wait for it.
    let left = outbox.length > MAX_OUTBOX ? Infinity : AT_ONCE;
    for (let first = outbox[0]; first !== undefined; first = outbox[0]) {
      const next = first.clients.splice(0, left);
      for (const client of next) if (!hand(client, first)) first.dropped += 1;
      left -= next.length;
      if (first.clients.length === 0) {
        outbox.shift();
        const { message, receivers, dropped } = first;
        if (dropped > 0) miss(message.action, 'it is closed, or does not read what it is sent');
        tell(message.action, receivers - dropped, dropped);
      }
      if (left === 0 && outbox.length > 0) return void setImmediate(pump);
    }
  }

  return {
    get count() {
      return all.size;
    },
    arrive() {
      const arrival: Arrival = { messages: [] };
      arriving.add(arrival);
      return arrival;
    },
    leaves: (arrival) => void arriving.delete(arrival),
    add(client, arrival, late = false) {
      all.add(client);
      if (client.uid !== null) put(byUid, client.uid, client);
      if (late) client.waiting = [];
      if (arrival === undefined) return;
      arriving.delete(arrival);
      if (arrival.messages.length > MAX_WAITING) return client.cut();
      const now = Date.now();
      for (const message of arrival.messages)
        if (isFor(client, message, now)) hand(client, { message, write: writer(message) });
    },
    remove(client) {
      all.delete(client);
      if (client.uid !== null) take(byUid, client.uid, client);
      for (const room of client.rooms) take(byRoom, room, client);
      client.rooms.clear();
    },
    join(client, room) {
      if (client.rooms.has(room)) return true;
      if (client.rooms.size >= maxRooms) return false;
      // One that has gone meanwhile must not stay in a room for ever.
      if (!all.has(client)) return true;
      client.rooms.add(room);
      put(byRoom, room, client);
      return true;
    },
    leave(client, room) {
      if (client.rooms.delete(room)) take(byRoom, room, client);
    },
    deliver(message) {
      for (const { messages } of arriving) if (messages.length <= MAX_WAITING) messages.push(message);
      const clients = [...receivers(message, Date.now())];
      outbox.push({ message, write: writer(message), clients, receivers: clients.length, dropped: 0 });
      if (outbox.length === 1 || outbox.length > MAX_OUTBOX) pump();
    },
    async catchUp(client, missed) {
      const send = (message: Delivery): Promise<void> =>
        new Promise((left) => client.send(writer(message)(client.uid), left));
      const came = new Set(client.waiting?.map(({ id }) => id));
      const sent = new Set<Delivery['id']>();
      for (const message of missed) {
        // What a room was told before this connection joined it is none of its business, however soon it joins.
        const isTold = 'rooms' in message.to ? came.has(message.id) : isFor(client, message, Date.now());
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

/** Data is written once; a frame once for connections of one uid that come one after the other. */
function writer({ action, data, id }: Delivery): (uid: string | null) => Buffer {
  let shared: Buffer | null = null;
  let last: { readonly uid: string | null; readonly frame: Buffer } | null = null;
  return (uid) => {
    if (last?.uid !== uid) last = null;
    // Not more than one is kept: ten thousand frames at once would be as many copies of the data.
    last ??= { uid, frame: deliveryFrame(uid, (shared ??= sharedPart(action, data, id))) };
    return last.frame;
  };
}

/** Each once, also who is in several of the groups. */
function members(groups: Groups, names: readonly string[]): Client[] {
  const [only] = names;
  if (names.length === 1 && only !== undefined) return [...(groups.get(only) ?? [])];
  return [...new Set(names.flatMap((name) => [...(groups.get(name) ?? [])]))];
}

function put(groups: Groups, name: string, client: Client): void {
  const group = groups.get(name);
  if (group === undefined) groups.set(name, new Set([client]));
  else group.add(client);
}

function take(groups: Groups, name: string, client: Client): void {
  const group = groups.get(name);
  group?.delete(client);
  if (group?.size === 0) groups.delete(name);
}
