/** The WebSocket server, on the port of HTTP: accepts upgrades, authenticates connections and holds them until they end. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import Koa from 'koa';
import websockify from 'koa-websocket';
import type { WebSocket } from 'ws';
import { networkOf } from '../../contract/asker.js';
import { fault, type Fault } from '../../contract/fault.js';
import type { Running } from '../../contract/deferred.js';
import type { Route } from '../../contract/hooks.js';
import { isSub0 } from '../../contract/profile.js';
import type { LogFailure } from '../http/app.js';
import type { PlanSet } from '../plan/plan.js';
import { hostJudge } from '../http/hosts.js';
import { headerValues, remoteOf } from '../http/invocation.js';
import { senderJudge } from '../http/senders.js';
import { asFault } from '../runtime/invoke.js';
import type { Kernel } from '../runtime/kernel.js';
import { createLine, type Line } from './connection.js';
import { handshakeJudge, type Asked } from './handshake.js';
import { createHub, type Client, type Hub } from './hub.js';
import type { Peer } from './invocation.js';
import { errorFrame } from './message.js';
import { CLOSE, headersOf, proofsOf, Refused, uidOf } from './peer.js';
import { presenceOf, type Presence } from './presence.js';
import { requestClass } from './request.js';
import { createWorker } from './work.js';

export interface Door {
  /** Marks upgrades for Node's HTTP server. */
  readonly Request: typeof IncomingMessage;
  /** Responds to requests for the path that are not valid upgrades. */
  readonly page: Route;
  readonly hub: Hub;
  readonly size: () => number;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Resolves when current work has finished. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

const MISSED = 'a message did not reach a connection that it is addressed to (each cause is said once)';
const MAX_CAUSES = 1000;

/** For at most MAX_CAUSES pairs. */
function onceEach(call: (one: string, other: string) => void): (one: string, other: string) => void {
  const known = new Set<string>();
  return (one, other) => {
    const pair = JSON.stringify([one, other]);
    if (known.has(pair) || known.size >= MAX_CAUSES) return;
    known.add(pair);
    call(one, other);
  };
}

interface Connected {
  readonly line: Line;
  /** Verifies the token again. */
  readonly recheck: () => void;
  readonly isInRooms: () => boolean;
}

const MAX_PIECES = 1024;

const CONNECT = { action: 'connect', requestId: null };

export function createDoor(kernel: Kernel, tellFailure: LogFailure): Door {
  const { config, project } = kernel;
  const { websocket, http } = config;
  const { limits } = websocket;
  const connected = new Set<Connected>();
  const networks = new Map<string, number>();
  const count = (network: string, change: 1 | -1): void => {
    const now = (networks.get(network) ?? 0) + change;
    if (now > 0) networks.set(network, now);
    else networks.delete(network);
  };
  let draining = false;
  let working = 0;
  let idle: (() => void) | null = null;
  let empty: (() => void) | null = null;

  const identities = () => kernel.plans().identities;
  const tell: Running['tell'] = (event) => kernel.running.tell(event);
  const hub = createHub({
    isGuarded: () => identities().length > 0,
    // The earlier system accepts a claimed uid, because helpdesk customers have no token.
    believes: isSub0(config.profile),
    maxRooms: limits.rooms,
    tell: (action, receivers, dropped) => tell({ what: 'message-delivered', action, receivers, dropped }),
    miss: onceEach((action, cause) => kernel.log.warn({ action, cause }, MISSED)),
  });
  const worker = createWorker(kernel, tellFailure);
  const senderOf = senderJudge(http.allowed_origins);
  const answersFor = hostJudge(http, project.dev);
  const judge = handshakeJudge({
    ...{ websocket, http, closing: () => draining, count: () => connected.size },
    countOf: (remote) => networks.get(networkOf(remote)) ?? 0,
  });
  const statusOf = ({ code, options }: Fault): number => options.status ?? project.registry.codes[code]?.status ?? 500;

  const app = websockify(new Koa());
  app.ws.use(({ websocket: socket, req }) => {
    void welcome(socket, req).catch((error: unknown) => {
      tellFailure(asFault(error), '-');
      socket.terminate();
    });
  });
  app.ws.listen({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.message,
    perMessageDeflate: false,
    // Each fragment has an overhead of about a hundred bytes.
    maxFragments: MAX_PIECES,
    maxBufferedChunks: MAX_PIECES,
    // The connection rate-limits its pongs.
    autoPong: false,
    // The response must not echo the second protocol, which is the token.
    handleProtocols: ([first]) => first ?? false,
  });

  const pings = setInterval(() => {
    for (const { line, recheck } of connected) {
      line.ping();
      recheck();
    }
  }, websocket.ping * 1000).unref();

  if (websocket.force_token && identities().length === 0)
    kernel.log.warn(
      { path: websocket.path },
      'nobody can connect: `websocket.force_token` is set, and no resource takes a token',
    );
  let guards = guardsOf(kernel.plans());
  const unwatch = kernel.running.swapped(() => {
    const before = guards;
    guards = guardsOf(kernel.plans());
    const isOther = [...before].some(([id, guard]) => guards.get(id) !== guard);
    for (const one of [...connected]) {
      one.recheck();
      // The new guards might not admit it to its rooms.
      if (isOther && one.isInRooms()) one.line.close(CLOSE.changed, 'who may join rooms has changed');
    }
  });

  async function welcome(socket: WebSocket, req: IncomingMessage): Promise<void> {
    let client: Client | null = null;
    let presence: Presence | null = null;
    let uid: string | null = null;
    // Registered before authentication, so that messages sent meanwhile are retained.
    const arrival = hub.arrive();
    const id = randomUUID();
    const remote = remoteOf(req, http.trusted_proxies);
    const network = networkOf(remote);
    const began = performance.now();
    const line = createLine(socket, {
      limits,
      json: http.limits,
      worker,
      closing: () => draining,
      doubted: () => presence?.recheck(),
      ended(code) {
        presence?.leave();
        hub.leaves(arrival);
        if (client !== null) hub.remove(client);
        connected.delete(one);
        count(network, -1);
        const milliseconds = performance.now() - began;
        tell({ what: 'connection-closed', id, code, milliseconds, open: connected.size });
        if (connected.size === 0) empty?.();
      },
      busy(change) {
        working += change;
        if (working === 0) idle?.();
      },
    });
    const one: Connected = {
      line,
      recheck: () => presence?.recheck(),
      isInRooms: () => client !== null && client.rooms.size > 0,
    };
    const plans = kernel.plans();
    connected.add(one);
    count(network, 1);
    tell({ what: 'connection-opened', id, open: connected.size });
    const end = (refused: Refused): void => {
      const { body } = worker.refuse(refused.fault, randomUUID());
      line.send(errorFrame(uid, CONNECT, body));
      line.close(refused.code, body.code);
    };
    try {
      const query = queryOf(req);
      uid = uidOf(query, websocket);
      const headers = headersOf(req, proofsOf(req, identities(), config.profile));
      const claim = websocket.uid_claim;
      presence = await presenceOf({ identities, headers, uid, claim, statusOf, end, forced: websocket.force_token });
      // The connection may have ended during authentication.
      if (!connected.has(one)) return presence.leave();
      const { verified, until, realms } = presence;
      const { send, cut } = line;
      client = { uid, verified, until, realms, rooms: new Set(), waiting: null, send, cut };
      const lastId = query.get('last_id');
      hub.add(client, arrival, lastId !== null);
      if (plans !== kernel.plans()) presence.recheck();
      const sender = senderOf((name) => headerValues(req.rawHeaders, name));
      line.begin(peerOf({ remote, sender, headers }, client));
      if (lastId !== null) await catchUp(client, lastId);
    } catch (error) {
      end(error instanceof Refused ? error : new Refused(asFault(error), CLOSE.later));
    }
  }

  async function catchUp(client: Client, lastId: string): Promise<void> {
    const missed = await (kernel.running.replay?.(lastId) ?? Promise.resolve(null)).catch((error: unknown) => {
      tellFailure(asFault(error), '-');
      return null;
    });
    if (missed === null) {
      const { body } = worker.refuse(fault('WS_REPLAY_GAP'), randomUUID());
      client.send(errorFrame(client.uid, { action: 'replay', requestId: null }, body));
    }
    await hub.catchUp(client, missed ?? []);
  }

  function peerOf(known: Pick<Peer, 'remote' | 'sender' | 'headers'>, client: Client): Peer {
    return {
      ...known,
      connection: {
        uid: client.uid,
        join: (room) => hub.join(client, room),
        leave: (room) => hub.leave(client, room),
      },
    };
  }

  const isHere = (url: string | undefined): boolean =>
    url === websocket.path || url?.startsWith(`${websocket.path}?`) === true;
  const askedOf = (req: IncomingMessage): Asked => ({
    method: req.method ?? '',
    remote: remoteOf(req, http.trusted_proxies),
    header: (name) => headerValues(req.rawHeaders, name),
  });
  const admits = (req: IncomingMessage): boolean =>
    isHere(req.url) &&
    answersFor?.(req.headers.host) !== false &&
    (req.url ?? '').length <= http.limits.url &&
    req.rawHeaders.length <= 2 * http.limits.header_count &&
    judge(askedOf(req)) === null;

  return {
    Request: requestClass(admits),
    page: {
      path: websocket.path,
      methods: ['GET'],
      handle(request) {
        throw judge(request) ?? fault('WS_UPGRADE', {}, { headers: { upgrade: 'websocket' } });
      },
    },
    hub,
    size: () => connected.size,
    upgrade(req, socket, head) {
      const { server } = app.ws;
      if (server === undefined || !isHere(req.url)) return void socket.destroy();
      server.handleUpgrade(req, socket, head, (accepted) => server.emit('connection', accepted, req));
    },
    async drain() {
      draining = true;
      if (working > 0) await new Promise<void>((resolve) => (idle = resolve));
    },
    async close() {
      draining = true;
      clearInterval(pings);
      unwatch();
      const gone = new Promise<void>((resolve) => (empty = resolve));
      if (connected.size === 0) return;
      for (const { line } of [...connected]) line.close(CLOSE.going, 'the server is closing');
      await gone;
    },
  };
}

const guardsOf = ({ byId }: PlanSet): ReadonlyMap<string, string> =>
  new Map(
    [...byId].map(([id, { summary, identities }]) => [
      id,
      JSON.stringify([summary.guard, ...identities.map(({ key }) => key).sort()]),
    ]),
  );

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
}
