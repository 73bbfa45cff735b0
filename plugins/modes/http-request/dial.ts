/**
 * HTTP agents that connect only where the guard allows. Names are resolved only here, so the address checked is
 * dialled.
 */
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { normalizeHost, findAddressRejection, findHostRejection, type Policy } from './guard.js';

export type Resolve = (
  host: string,
  options: LookupOptions & { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface DialOptions {
  readonly policy: Policy;
  /** Connect timeout in milliseconds. */
  readonly patience: number;
  readonly connectTo: ReadonlyMap<string, HostAndPort>;
  /** Set by `lintel test`: every connection goes there. */
  readonly standIn?: HostAndPort | null;
  /** Trusted certificate authorities; undefined: those of the runtime. */
  readonly ca?: readonly string[] | undefined;
  readonly resolve?: Resolve | undefined;
}

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

export interface Agents {
  readonly http: http.Agent;
  readonly https: https.Agent;
  close(): void;
}

/** Error code of a rejected connection; the message is the reason. */
export const REFUSED = 'OUT_REFUSED';
const createRejectedError = (reason: string): Error => Object.assign(new Error(reason), { code: REFUSED });

/** Milliseconds; shorter than typical server keep-alive timeouts. */
const IDLE = 4000;
const MOST = 256;

interface Target {
  readonly host?: string | null;
  readonly port?: number | string | null;
}
type ConnectCallback = (error: Error | null, socket?: Socket) => void;
type Connect = (options: Target & Readonly<Record<string, unknown>>, done: ConnectCallback) => Socket | undefined;

export function createAgents(options: DialOptions): Agents {
  const common = { keepAlive: true, maxSockets: MOST, maxFreeSockets: 32, timeout: IDLE, scheduling: 'lifo' } as const;
  const plain = guardAgent(new http.Agent(common), 'connect', options);
  const ca = options.ca === undefined ? {} : { ca: [...options.ca] };
  const secure = guardAgent(new https.Agent({ ...common, ...ca, rejectUnauthorized: true }), 'secureConnect', options);
  return {
    http: plain,
    https: secure,
    close: () => {
      plain.destroy();
      secure.destroy();
    },
  };
}

/** Node calls `createConnection` for each new connection. */
function guardAgent<A extends http.Agent>(agent: A, ready: string, options: DialOptions): A {
  const connect = agent.createConnection.bind(agent) as Connect;
  const connectGuarded: Connect = (target, done) => {
    const host = target.host ?? '';
    const port = Number(target.port);
    const instead = options.standIn ?? options.connectTo.get(`${normalizeHost(host)}:${port}`);
    if (instead !== undefined)
      return limitConnectTime(connect({ ...target, ...instead }, done), ready, options.patience);
    const reason = findHostRejection(host, port, options.policy);
    if (reason !== null) {
      done(createRejectedError(reason));
      return undefined;
    }
    const lookup = createCheckedLookup(options, port);
    return limitConnectTime(connect({ ...target, lookup }, done), ready, options.patience);
  };
  return Object.assign(agent, { createConnection: connectGuarded });
}

/** Resolves the name, checks every address, and passes on exactly these. */
function createCheckedLookup({ policy, resolve = systemLookup }: DialOptions, port: number): LookupFunction {
  return (host, { all, ...options }, done) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) {
        done(error ?? Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '', 0);
        return;
      }
      for (const { address } of addresses) {
        const reason = findAddressRejection(address, host, port, policy);
        if (reason !== null) {
          done(createRejectedError(reason), '', 0);
          return;
        }
      }
      if (all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

function limitConnectTime(socket: Socket | undefined, ready: string, patience: number): Socket | undefined {
  if (socket === undefined) return undefined;
  const destroyLate = (): void => {
    socket.destroy(Object.assign(new Error('the connection took too long'), { code: 'ETIMEDOUT' }));
  };
  const timer = setTimeout(destroyLate, patience);
  const stop = (): void => clearTimeout(timer);
  socket.once(ready, stop).once('close', stop);
  return socket;
}
