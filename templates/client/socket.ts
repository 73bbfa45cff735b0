/** What `connect` needs of a WebSocket, as browsers and the package `ws` have it. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: SocketEvent) => void): void;
}

interface SocketEvent {
  readonly data?: unknown;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
}

export interface ConnectOptions extends Pick<ClientOptions, 'url' | 'credentials'> {
  /** The address for messages to this client; with a token, one that the token contains. */
  readonly uid?: string | undefined;
  /** The `id` of the last message that was received: what was missed since is sent first. */
  readonly lastId?: string | undefined;
  /** The credential that identifies the connection; by default the first that is there. */
  readonly identify?: keyof Credentials | undefined;
  /** By default the global one. Node before 22 has none: pass `WebSocket` of the package `ws`. */
  readonly WebSocket?: (new (url: string, protocols: string[]) => Socket) | undefined;
  /** Closes the connection. */
  readonly signal?: AbortSignal | undefined;
}

/** A message of the server. */
export interface Message<Data> {
  readonly uid: string | null;
  readonly data: Data;
  /** Where to go on after a pause; only where the server keeps messages. */
  readonly id?: string;
}

/** Called for each message; listeners of a room may leave out events. */
export type Listeners<Name extends keyof Events> = {
  readonly [Event in Name]?: ((message: Message<Events[Event]>) => void) | undefined;
};

export interface Connection {
  readonly call: Calls;
  /** Calls that join rooms, with the listeners for what is sent to these. After a reconnect, join again. */
  readonly join: Joins;
  /** Calls the listener for each message; returns what removes it. */
  on<Name extends keyof Events>(event: Name, listener: (message: Message<Events[Name]>) => void): () => void;
  /** The `id` of the last message, for `lastId` of the next connection. */
  readonly lastId: string | undefined;
  /** Resolves when the connection is closed, with the reason that the server gave. */
  readonly closed: Promise<Closed>;
  close(): void;
}

export interface Closed {
  readonly code: number;
  readonly problem: Problem | null;
}

/** The connection was closed before the answer; a call may have been done or not. */
export class ConnectionClosedError extends Error {
  override readonly name = 'ConnectionClosedError';
  readonly code: number;
  readonly problem: Problem | null;
  constructor({ code, problem }: Closed) {
    super(`the connection is closed (${problem?.code ?? code})`);
    this.code = code;
    this.problem = problem;
  }
}

interface Frame {
  readonly uid: string | null;
  readonly action: string | null;
  readonly request_id?: string;
  readonly data?: unknown;
  readonly error?: Problem;
  readonly id?: string;
}

type Receive = (outcome: Frame | ConnectionClosedError) => void;
type Call = <Data, Code extends string>(
  operation: Operation,
  payload: unknown,
  options?: CallOptions,
) => Promise<Result<Data, Code>>;

type Join = <Data, Code extends string>(
  operation: Operation,
  payload: unknown,
  listeners: object,
  options?: CallOptions,
) => Promise<Result<Data, Code>>;

export async function connect(options: ConnectOptions): Promise<Connection> {
  const { url, uid, lastId, signal, WebSocket = findWebSocket() } = options;
  const query = new URLSearchParams({
    ...(uid !== undefined && { uid }),
    ...(lastId !== undefined && { last_id: lastId }),
  }).toString();
  signal?.throwIfAborted();
  const address = `${url.replace(/\/$/, '').replace(/^http/, 'ws')}${SOCKET_PATH}${query === '' ? '' : `?${query}`}`;
  const socket = new WebSocket(address, await findIdentity(options));
  const waiting = new Map<string, Receive>();
  const listeners = new Map<string, Set<(message: Message<never>) => void>>();
  const state: { lastId: string | undefined; problem: Problem | null; closed: Closed | null; count: number } = {
    lastId,
    problem: null,
    closed: null,
    count: 0,
  };
  const receive = ({ data }: SocketEvent): void => {
    const frame = JSON.parse(String(data)) as Frame;
    const answered = frame.request_id === undefined ? undefined : waiting.get(frame.request_id);
    if (answered !== undefined) return answered(frame);
    if (frame.error !== undefined) state.problem = frame.error;
    if (frame.id !== undefined) state.lastId = frame.id;
    for (const listener of [...(listeners.get(frame.action ?? '') ?? [])]) listener(frame as Frame & Message<never>);
  };
  const closed = new Promise<Closed>((resolve) => {
    socket.addEventListener('close', ({ code = 1006 }) => {
      state.closed = { code, problem: state.problem };
      for (const end of [...waiting.values()]) end(new ConnectionClosedError(state.closed));
      signal?.removeEventListener('abort', close);
      resolve(state.closed);
    });
  });
  const close = (): void => socket.close();
  signal?.addEventListener('abort', close, { once: true });
  const call: Call = <Data, Code extends string>(
    operation: Operation,
    payload: unknown,
    callOptions: CallOptions = {},
  ) =>
    new Promise<Result<Data, Code>>((resolve, reject) => {
      if (state.closed !== null) return reject(new ConnectionClosedError(state.closed));
      const aborted = callOptions.signal;
      if (aborted?.aborted === true) return reject(aborted.reason as Error);
      const id = String(++state.count);
      const forget = (): void => {
        waiting.delete(id);
        aborted?.removeEventListener('abort', abort);
      };
      const finish: Receive = (outcome) => {
        forget();
        if (outcome instanceof ConnectionClosedError) reject(outcome);
        else if (outcome.error !== undefined) resolve({ ok: false, problem: outcome.error as Problem<Code> });
        else resolve({ ok: true, data: outcome.data as Data });
      };
      const abort = (): void => {
        forget();
        reject(aborted?.reason as Error);
      };
      aborted?.addEventListener('abort', abort, { once: true });
      waiting.set(id, finish);
      const { path, rest } = fillPath(operation, payload);
      const resource = path === operation.path ? operation.id : path.slice(1);
      socket.send(JSON.stringify({ resource, action: operation.id, request_id: id, payload: rest ?? {} }));
    });
  const on = (event: string, listener: (message: Message<never>) => void): (() => void) => {
    const own = listeners.get(event) ?? new Set();
    listeners.set(event, own.add(listener));
    return () => void own.delete(listener);
  };
  socket.addEventListener('message', receive);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', ({ message = '' }) =>
      reject(new Error(`the connection failed ${message}`.trim())),
    );
    void closed.then((reason) => reject(new ConnectionClosedError(reason)));
  });
  const joinRooms: Join = async (operation, payload, own, callOptions) => {
    // Messages may arrive before the answer.
    const written = Object.entries(own) as [string, ((message: Message<never>) => void) | undefined][];
    const removals = written.flatMap(([event, listener]) => (listener === undefined ? [] : [on(event, listener)]));
    const removeAll = (): void => removals.forEach((remove) => remove());
    try {
      const result = await call<never, never>(operation, payload, callOptions);
      if (!result.ok) removeAll();
      return result;
    } catch (error) {
      removeAll();
      throw error;
    }
  };
  return {
    call: createCalls(call),
    join: createJoins(joinRooms),
    on,
    get lastId() {
      return state.lastId;
    },
    closed,
    close,
  };
}

/** The sub-protocols of a token: the name of its header, and itself. */
async function findIdentity({ credentials = {}, identify }: ConnectOptions): Promise<string[]> {
  for (const name of identify === undefined ? Object.keys(credentials) : [identify]) {
    const scheme = SCHEMES[name];
    const value = await findCredential(credentials, name, '');
    if (scheme !== undefined && value !== undefined) return [scheme.header, value];
  }
  return [];
}

function findWebSocket(): NonNullable<ConnectOptions['WebSocket']> {
  const { WebSocket } = globalThis as { readonly WebSocket?: ConnectOptions['WebSocket'] };
  if (WebSocket === undefined)
    throw new Error('there is no WebSocket here: pass one, such as that of the package "ws"');
  return WebSocket;
}
