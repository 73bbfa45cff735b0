/** The WebSocket server, on the port of HTTP: accepts upgrades and holds connections. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import Koa from 'koa';
import websockify from 'koa-websocket';
import { createByteBudget } from '../../../contract/byte-budget.js';
import type { RuntimeServices } from '../../../contract/deferred.js';
import { createFault, ensureFault } from '../../../contract/fault.js';
import type { Json } from '../../../contract/json.js';
import type { Log } from '../../../contract/plugin.js';
import { isSub0 } from '../../../contract/profile.js';
import { toNetwork } from '../../../contract/requester.js';
import type { ConnectionServer, ConnectionSettings, UpgradeRequest } from '../../../contract/trigger.js';
import type { WebSocketConfig } from '../../../contract/websocket-config.js';
import { ClientSocket, SocketConnection, type ConnectionScope } from './connection.js';
import { createHandshakeCheck } from './handshake.js';
import { createHub, type Client } from './hub.js';
import { createErrorFrame } from './message.js';
import { CLOSE, createPeerHeaders, extractProofs, ConnectionRejection, parseUid } from './peer.js';
import { createAuthSession } from './auth-session.js';
import { createWorker } from './message-runner.js';

export interface SocketServerInput {
  readonly websocket: WebSocketConfig;
  readonly settings: ConnectionSettings;
  readonly running: RuntimeServices;
  readonly log: Log;
}

/** The objects that the kernel hands over. */
interface SocketHandover {
  readonly req: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

const MISSED = 'message not delivered to an addressed connection (each cause is logged once)';
type SocketClass = NonNullable<Parameters<ReturnType<typeof websockify>['ws']['listen']>[0]['WebSocket']>;

const MAX_PIECES = 1024;

const CONNECT = { action: 'connect', requestId: null };

export interface SocketServer extends ConnectionServer {
  /** For the console. */
  describeConnections(): Json;
}

export function createSocketServer({ websocket, settings, running, log }: SocketServerInput): SocketServer {
  const { limits } = websocket;
  const { http, profile } = settings;
  const connected = new Set<SocketConnection>();
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

  const getIdentities = () => running.identities();
  const emitEvent: RuntimeServices['emit'] = (event) => running.emit(event);
  const hub = createHub({
    isGuarded: () => getIdentities().length > 0,
    // The earlier system accepts a claimed uid, because helpdesk customers have no token.
    trustsClaimedUid: isSub0(profile),
    maxRooms: limits.rooms,
    onDelivered: (action, receivers, dropped) => emitEvent({ what: 'message-delivered', action, receivers, dropped }),
    onMissed: callOncePerPair((action, cause) => log.warn({ action, cause }, MISSED)),
  });
  const worker = createWorker(running, settings);
  const findFlaw = createHandshakeCheck({
    limits,
    closing: () => draining,
    count: () => connected.size,
    countConnections: (remote) => networks.get(toNetwork(remote)) ?? 0,
  });
  /** Requests on their way through Koa. */
  const admitted = new Map<IncomingMessage, UpgradeRequest>();
  const app = websockify(new Koa());
  app.ws.use(({ websocket: socket, req }) => {
    const request = admitted.get(req);
    if (request === undefined) return socket.terminate();
    admitted.delete(req);
    void acceptConnection(socket as ClientSocket, req, request).catch((error: unknown) => {
      running.logFailure(error, '-');
      socket.terminate();
    });
  });
  app.ws.listen({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.message,
    perMessageDeflate: false,
    WebSocket: ClientSocket as SocketClass,
    // Each fragment has an overhead of about a hundred bytes.
    maxFragments: MAX_PIECES,
    maxBufferedChunks: MAX_PIECES,
    // The connection rate-limits its pongs.
    autoPong: false,
    // The response must not echo the second protocol, which is the token.
    handleProtocols: ([first]) => first ?? false,
  });

  const pings = setInterval(() => {
    for (const connection of connected) {
      connection.sendPing();
      connection.recheckToken();
    }
  }, websocket.ping * 1000).unref();

  if (websocket.force_token && getIdentities().length === 0)
    log.warn(
      { path: websocket.path },
      'no client can connect: `websocket.force_token` is set, but no resource accepts a token',
    );
  let guards = running.guards();
  const unwatch = running.onPlansReloaded(() => {
    const before = guards;
    guards = running.guards();
    const isOther = [...before].some(([id, guard]) => guards.get(id) !== guard);
    for (const one of [...connected]) {
      one.recheckToken();
      // The new guards might not admit it to its rooms.
      if (isOther && one.isInRooms) one.close(CLOSE.changed, 'who may join rooms has changed');
    }
  });

  const scope: ConnectionScope = {
    limits,
    json: http.limits,
    worker,
    closing: () => draining,
    unfinished: createByteBudget(limits.unfinished),
    join: (connection, room) => hub.join(connection, room),
    leave: (connection, room) => hub.leaveRoom(connection, room),
    onClose(connection, code) {
      const { id, network, session, openedAt } = connection;
      session.stop();
      hub.remove(connection);
      connected.delete(connection);
      count(network, -1);
      const milliseconds = performance.now() - openedAt;
      emitEvent({ what: 'connection-closed', id, code, milliseconds, open: connected.size });
      if (connected.size === 0) empty?.();
    },
    onInFlightChange(change) {
      working += change;
      if (working === 0) idle?.();
    },
  };

  function rejectConnection(connection: SocketConnection, refused: ConnectionRejection): void {
    const { body } = worker.reject(refused.fault, randomUUID());
    connection.send(createErrorFrame(connection.uid, CONNECT, body));
    connection.close(refused.code, body.code);
  }

  async function acceptConnection(
    socket: ClientSocket,
    req: IncomingMessage,
    { remote, sender, query: text }: UpgradeRequest,
  ): Promise<void> {
    // Registered before authentication, so that messages sent meanwhile are retained.
    const arrival = hub.register();
    const id = randomUUID();
    const network = toNetwork(remote);
    const connection = new SocketConnection(socket, req.socket, scope, { id, remote, network, sender });
    const identities = getIdentities();
    connected.add(connection);
    count(network, 1);
    emitEvent({ what: 'connection-opened', id, open: connected.size });
    try {
      const query = new URLSearchParams(text);
      connection.uid = parseUid(query, websocket);
      const headers = createPeerHeaders(req, extractProofs(req, getIdentities(), profile));
      const session = await createAuthSession({
        identities: getIdentities,
        headers,
        uid: connection.uid,
        claim: websocket.uid_claim,
        getFaultStatus: running.getStatus,
        end: (refused) => rejectConnection(connection, refused),
        forced: websocket.force_token,
      });
      // The connection may have ended during authentication.
      if (!connected.has(connection)) return session.stop();
      connection.session = session;
      const lastId = query.get('last_id');
      hub.add(connection, arrival, lastId !== null);
      if (identities !== getIdentities()) connection.recheckToken();
      connection.begin(headers);
      if (lastId !== null) await sendMissed(connection, lastId);
    } catch (error) {
      const refused =
        error instanceof ConnectionRejection ? error : new ConnectionRejection(ensureFault(error), CLOSE.later);
      rejectConnection(connection, refused);
    } finally {
      hub.unregister(arrival);
    }
  }

  async function sendMissed(client: Client, lastId: string): Promise<void> {
    const missed = await running.replayMissed(lastId).catch((error: unknown) => {
      running.logFailure(error, '-');
      return null;
    });
    if (missed === null) {
      const { body } = worker.reject(createFault('WS_REPLAY_GAP'), randomUUID());
      client.send(createErrorFrame(client.uid, { action: 'replay', requestId: null }, body));
    }
    await hub.replayMissed(client, missed ?? []);
  }

  running.registerReceiver((message) => hub.deliverMessage(message));

  return {
    admits: (request) => findFlaw(request) === null,
    reject: (request) => findFlaw(request) ?? createFault('WS_UPGRADE', {}, { headers: { upgrade: 'websocket' } }),
    accept(request, { req, socket, head }: SocketHandover) {
      const { server } = app.ws;
      if (server === undefined) return void socket.destroy();
      server.handleUpgrade(req, socket, head, (accepted) => {
        admitted.set(req, request);
        server.emit('connection', accepted, req);
      });
    },
    count: () => connected.size,
    describeConnections: () => ({ open: connected.size, ...hub.describe() }),
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
      for (const connection of [...connected]) connection.close(CLOSE.going, 'the server is closing');
      await gone;
    },
  };
}

const MAX_PAIRS = 1000;

/** Bounds repeated reports of the same cause. */
function callOncePerPair(call: (one: string, other: string) => void): (one: string, other: string) => void {
  const known = new Set<string>();
  return (one, other) => {
    const pair = JSON.stringify([one, other]);
    if (known.has(pair) || known.size >= MAX_PAIRS) return;
    known.add(pair);
    call(one, other);
  };
}
