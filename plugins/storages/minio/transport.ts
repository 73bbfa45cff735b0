/**
 * The connections to one S3 server: kept open, limited in number, each with two deadlines (to come about, and for
 * silence), so that a server that is gone or stalls never holds a request. The client has no deadlines of its own.
 */
import http from 'node:http';
import https from 'node:https';
import type { ClientOptions } from 'minio';

export interface Transport {
  readonly transport: NonNullable<ClientOptions['transport']>;
  readonly agent: http.Agent;
  /** Ends the connections at rest: where one was cut, the server may have closed the others, too. */
  readonly renew: () => void;
}

export interface Deadlines {
  /** Milliseconds. */
  readonly connect: number;
  readonly idle: number;
}

const CONNECTIONS = 64;
/** Answers that the client gives up on without reading them; unread, they would keep their connection. */
const UNREAD: ReadonlySet<number> = new Set([408, 429, 499, 500, 502, 503, 504, 520]);

const tooLate = (what: string): Error => Object.assign(new Error(what), { code: 'ETIMEDOUT' });

export function createTransport(isTls: boolean, { connect, idle }: Deadlines): Transport {
  const { Agent, request } = isTls ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'lifo' });

  function send(options: http.RequestOptions, respond: (response: http.IncomingMessage) => void): http.ClientRequest {
    const made = request(options, (response) => {
      if (UNREAD.has(response.statusCode ?? 0)) response.resume();
      respond(response);
    });
    made.setTimeout(idle, () => made.destroy(tooLate('no answer in time')));
    made.once('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(() => made.destroy(tooLate('no connection in time')), connect);
      const clear = (): void => clearTimeout(timer);
      socket.once(isTls ? 'secureConnect' : 'connect', clear);
      made.once('close', clear);
    });
    return made;
  }
  const renew = (): void => {
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  };
  return { transport: { request: send as typeof http.request }, agent, renew };
}
