/** Pooled connections to one S3 server with timeouts, which the client lacks: an unresponsive server must not block a request. */
import { AsyncLocalStorage } from 'node:async_hooks';
import http from 'node:http';
import https from 'node:https';
import type { ClientOptions } from 'minio';

export interface Transport {
  readonly transport: NonNullable<ClientOptions['transport']>;
  readonly agent: http.Agent;
  /** Ends every request of this work at the deadline, in milliseconds of `performance.now()`. */
  readonly runUntil: <T>(deadline: number | undefined, work: () => Promise<T>) => Promise<T>;
  readonly closeIdleSockets: () => void;
}

export interface Deadlines {
  /** Milliseconds. */
  readonly connect: number;
  readonly idle: number;
}

const CONNECTIONS = 64;
/** The client ignores these bodies; they must be read to free the connection. */
const UNREAD: ReadonlySet<number> = new Set([408, 429, 499, 500, 502, 503, 504, 520]);

const createTimeoutError = (what: string): Error => Object.assign(new Error(what), { code: 'ETIMEDOUT' });

export function createTransport(isTls: boolean, { connect, idle }: Deadlines): Transport {
  const { Agent, request } = isTls ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'lifo' });

  // The client takes no signal, so the deadline travels with the call.
  const deadlines = new AsyncLocalStorage<number>();

  function endAtDeadline(made: http.ClientRequest): void {
    const left = (deadlines.getStore() ?? Infinity) - performance.now();
    if (left === Infinity) return;
    const timer = setTimeout(() => made.destroy(createTimeoutError('the deadline of the request')), Math.max(0, left));
    made.once('close', () => clearTimeout(timer));
  }

  function send(options: http.RequestOptions, respond: (response: http.IncomingMessage) => void): http.ClientRequest {
    const made = request(options, (response) => {
      if (UNREAD.has(response.statusCode ?? 0)) response.resume();
      respond(response);
    });
    endAtDeadline(made);
    made.setTimeout(idle, () => made.destroy(createTimeoutError('no answer in time')));
    made.once('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(() => made.destroy(createTimeoutError('no connection in time')), connect);
      const clear = (): void => clearTimeout(timer);
      socket.once(isTls ? 'secureConnect' : 'connect', clear);
      made.once('close', clear);
    });
    return made;
  }
  const closeIdleSockets = (): void => {
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  };
  return {
    transport: { request: send as typeof http.request },
    agent,
    closeIdleSockets,
    runUntil: (deadline, work) => deadlines.run(deadline ?? Infinity, work),
  };
}
