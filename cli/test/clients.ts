/** WebSocket clients of one case. Messages are kept in order until a step takes them. */
import { WebSocket, type RawData } from 'ws';
import type { JsonObject } from '../../contract/json.js';
import { asObject } from './definition.js';
import { AGAIN, parseJson, type ReceivedResponse } from './send.js';
import type { TestTime } from './time.js';

export interface TestClients {
  /** Status 101, or the response of a rejected handshake. */
  connect(name: string, url: URL, headers: Readonly<Record<string, string>>): Promise<ReceivedResponse>;
  send(name: string, resource: string, payload: unknown): Promise<ReceivedResponse>;
  /** The next message that is no response. Rejects when none comes in time. */
  receive(name: string): Promise<JsonObject>;
  disconnect(name: string): Promise<void>;
  closeAll(): Promise<void>;
}

interface TestClient {
  readonly socket: WebSocket;
  readonly closed: Promise<void>;
  readonly frames: JsonObject[];
  /** Called after each frame, and when the connection closes. */
  notify: () => void;
}

/** Milliseconds of real time; what takes longer fails the case. */
const PATIENCE = 5000;

export function createTestClients(time: TestTime): TestClients {
  const clients = new Map<string, TestClient>();
  let requests = 0;

  function getClient(name: string): TestClient {
    const client = clients.get(name);
    if (client === undefined) throw new Error(`no client "${name}" is connected`);
    return client;
  }

  /** The first frame that fits, which is removed. */
  async function takeFrame(name: string, what: string, fits: (frame: JsonObject) => boolean): Promise<JsonObject> {
    const client = getClient(name);
    const elapsed = time.startStopwatch();
    for (;;) {
      const left = PATIENCE - elapsed();
      const at = client.frames.findIndex(fits);
      const [found] = at === -1 ? [] : client.frames.splice(at, 1);
      if (found !== undefined) return found;
      if (left <= 0 || client.socket.readyState !== WebSocket.OPEN)
        throw new Error(`client "${name}" has received no ${what}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(left, AGAIN));
        client.notify = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  async function closeClient({ socket, closed }: TestClient): Promise<void> {
    socket.close();
    await closed;
  }

  return {
    async connect(name, url, headers) {
      if (clients.has(name)) throw new Error(`the client "${name}" is connected already`);
      const socket = new WebSocket(url, { headers });
      const client: TestClient = {
        socket,
        closed: new Promise((resolve) => void socket.once('close', () => resolve())),
        frames: [],
        notify: () => undefined,
      };
      socket.on('message', (data: RawData) => {
        client.frames.push(asObject(parseJson(toText(data)) as never));
        client.notify();
      });
      socket.once('close', () => client.notify());
      const refusal = await waitUntilOpen(socket);
      if (refusal !== null) return refusal;
      clients.set(name, client);
      return { status: 101, headers: {}, text: '', body: null };
    },
    async send(name, resource, payload) {
      const id = `test-${++requests}`;
      getClient(name).socket.send(JSON.stringify({ resource, action: id, request_id: id, payload }));
      const frame = await takeFrame(name, `response of "${resource}"`, (one) => one['request_id'] === id);
      const body = frame['error'] ?? frame['data'];
      const status = frame['error'] === undefined ? 200 : Number(asObject(frame['error'])['status']);
      return { status, headers: {}, text: JSON.stringify(body), body };
    },
    receive: (name) => takeFrame(name, 'message', (one) => one['request_id'] === undefined),
    async disconnect(name) {
      const client = getClient(name);
      clients.delete(name);
      await closeClient(client);
    },
    async closeAll() {
      const open = [...clients.values()];
      clients.clear();
      await Promise.all(open.map(closeClient));
    },
  };
}

const toText = (data: RawData): string =>
  Buffer.isBuffer(data)
    ? data.toString()
    : Array.isArray(data)
      ? Buffer.concat(data).toString()
      : Buffer.from(data).toString();

/** Null: it is open. */
function waitUntilOpen(socket: WebSocket): Promise<ReceivedResponse | null> {
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(null));
    socket.once('error', reject);
    socket.once('unexpected-response', (_request, response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: {}, text, body: parseJson(text) });
        socket.terminate();
      });
    });
  });
}
