/**
 * Sends one call with retries and same-origin redirects, within a limit and a deadline. Its errors must not contain
 * headers, bodies or URLs.
 */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { type Duplex, pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { createFault, Fault } from '../../../contract/fault.js';
import type { Issue } from '../../../contract/problem.js';
import type { Outbound } from '../../../contract/outbound.js';
import type { Log } from '../../../contract/plugin.js';
import { createTurnQueue } from '../../../language/project/turn-queue.js';
import { createAgents, REFUSED, type Agents, type DialOptions, type HostAndPort, type Resolve } from './dial.js';
import { normalizeHost, createPolicy } from './guard.js';
import { IDEMPOTENT } from './http-syntax.light.js';

export interface HttpCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Milliseconds for the whole call. */
  readonly patience: number;
  /** Statuses accepted besides 2xx. */
  readonly accepts: ReadonlySet<number>;
  readonly retries: number;
  readonly redirects: number;
  /** The URL comes from a request, so `allow` and `connect_to` do not apply. */
  readonly dynamic: boolean;
  /** The actionable, for the log. */
  readonly place: string;
}

export interface HttpReply {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: Buffer;
}

export interface HttpClient {
  readonly call: (call: HttpCall) => Promise<HttpReply>;
  readonly close: () => void;
}

export interface ClientOptions {
  readonly outbound: Outbound;
  readonly log: Log;
  readonly ca?: readonly string[] | undefined;
  readonly resolve?: Resolve | undefined;
}

/** A reused connection closed before any byte of the response. */
class Stale extends Error {
  readonly code = 'ECONNRESET';
}

interface Attempt extends HttpReply {
  readonly location: string | undefined;
}

export function createClient({ outbound, log, ca, resolve }: ClientOptions): HttpClient {
  const dial: DialOptions = {
    policy: createPolicy(outbound),
    patience: outbound.timeouts.connect * 1000,
    connectTo: resolveConnectTo(outbound),
    standIn: outbound.stand_in === undefined ? null : parseHostPort(outbound.stand_in),
    ca,
    resolve,
  };
  // Calls without the config's exceptions cannot reuse those connections.
  const fixed = createAgents(dial);
  const free = createAgents({ ...dial, policy: createPolicy({ ...outbound, allow: [] }), connectTo: new Map() });
  const senders = { fixed: createSender(fixed), free: createSender(free) };

  async function call(wanted: HttpCall): Promise<HttpReply> {
    const until = performance.now() + wanted.patience;
    let renewed = false;
    for (let attempt = 0; ; attempt++) {
      try {
        return await followRedirects(wanted, until);
      } catch (error) {
        // The peer closed an idle keep-alive connection; nothing was processed, so the attempt is repeated once without
        // counting.
        if (!renewed && error instanceof Stale && IDEMPOTENT.has(wanted.method)) {
          renewed = true;
          attempt--;
          continue;
        }
        const failure = toFault(error, wanted);
        const pause = Math.min(2000, 100 * 2 ** attempt) * (1 + Math.random());
        const again = attempt < wanted.retries && failure.options.retryable === true;
        if (!again || performance.now() + pause >= until) {
          logFailure(wanted, failure, error);
          throw failure;
        }
        await new Promise((done) => setTimeout(done, pause));
      }
    }
  }

  async function followRedirects(wanted: HttpCall, until: number): Promise<HttpReply> {
    let { url, method, body } = wanted;
    const send = wanted.dynamic ? senders.free : senders.fixed;
    for (let hop = 0; ; hop++) {
      const answer = await send({ ...wanted, url, method, body }, until, outbound.limits.reply);
      const { status, location } = answer;
      if ((status >= 200 && status < 300) || wanted.accepts.has(status)) return answer;
      const next = hop < wanted.redirects && location !== undefined ? resolveRedirect(status, location, url) : null;
      if (next === null) throw createStatusFault(status);
      url = next;
      if (status === 303 || (status < 303 && method === 'POST')) [method, body] = ['GET', undefined];
    }
  }

  function logFailure({ place, url }: HttpCall, { code, params }: Fault, error: unknown): void {
    const cause = error instanceof Fault ? '' : (error as NodeJS.ErrnoException).code;
    const reason = params['what'] ?? params['status'] ?? cause;
    log.warn({ action: place, host: url.host, code, reason: String(reason ?? '') }, 'HTTP call failed');
  }

  return {
    call,
    close: () => {
      fixed.close();
      free.close();
    },
  };
}

/** The address dialled instead of each `host:port`. */
export const resolveConnectTo = ({ connect_to }: Outbound): ReadonlyMap<string, HostAndPort> =>
  new Map(
    Object.entries(connect_to).map(([from, to]) => {
      const { host, port } = parseHostPort(from);
      return [`${host}:${port}`, parseHostPort(to)];
    }),
  );

function parseHostPort(text: string): HostAndPort {
  const at = text.lastIndexOf(':');
  return { host: normalizeHost(text.slice(0, at)), port: Number(text.slice(at + 1)) };
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The request is intended for the host that the definition names. */
function resolveRedirect(status: number, location: string, from: URL): URL | null {
  if (!REDIRECTS.has(status) || !URL.canParse(location, from.href)) return null;
  const to = new URL(location, from);
  return to.origin === from.origin && to.username === '' && to.password === '' ? to : null;
}

function createStatusFault(status: number): Fault {
  const issues: Issue[] = [{ pointer: '', code: 'OUT_STATUS', detail: String(status) }];
  const retryable = status === 429 || status === 502 || status === 503 || status === 504;
  return createFault('OUT_STATUS', { status }, { issues, retryable });
}

type Send = (call: HttpCall, until: number, cap: number) => Promise<Attempt>;

function createSender(agents: Agents): Send {
  const runInTurn = createTurnQueue();
  return async ({ url, method, headers, body }, until, cap) => {
    // In a row, calls take two thirds of the time.
    await new Promise<void>(runInTurn);
    return new Promise((resolve, reject) => {
      const sent = body ?? (method === 'POST' || method === 'PUT' ? '' : undefined);
      const isSecure = url.protocol === 'https:';
      const request = (isSecure ? https : http).request(url, {
        agent: isSecure ? agents.https : agents.http,
        method,
        headers: { ...DEFAULTS, ...headers, ...(sent !== undefined && { 'content-length': Buffer.byteLength(sent) }) },
      });
      let reply: IncomingMessage | undefined;
      // A promise keeps its first result; destroying a request can emit another error.
      const endRequest = (failure: NodeJS.ErrnoException): void => {
        clearTimeout(timer);
        const isStale = request.reusedSocket && reply === undefined && GONE.has(failure.code ?? '');
        request.destroy();
        reject(isStale ? new Stale() : failure);
      };
      const finishRequest = (answer: Attempt): void => {
        clearTimeout(timer);
        resolve(answer);
      };
      const endLate = (): void => endRequest(createFault('OUT_TIMEOUT', {}, { retryable: true }));
      const timer = setTimeout(endLate, Math.max(0, until - performance.now()));
      request.on('response', (response) => {
        reply = response;
        collectReply(response, { method, cap, endRequest, finishRequest });
      });
      request.on('error', endRequest);
      // The body of a complete response may still be decoded.
      request.once('close', () => {
        if (reply?.complete !== true) endRequest(Object.assign(new Error('closed early'), { code: 'ECONNRESET' }));
      });
      request.end(sent);
    });
  };
}

const DEFAULTS = { 'user-agent': 'lintel', 'accept-encoding': 'gzip, deflate, br' };

const DECODERS: ReadonlyMap<string, () => Duplex> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

interface Collector {
  readonly method: string;
  readonly cap: number;
  readonly endRequest: (failure: Error) => void;
  readonly finishRequest: (answer: Attempt) => void;
}

/** The limit applies to the decoded body. */
function collectReply(response: IncomingMessage, { method, cap, endRequest, finishRequest }: Collector): void {
  const { statusCode: status = 0, headers } = response;
  const { 'content-type': type, location, 'content-length': length, 'content-encoding': encoding } = headers;
  const endTooLarge = (): void => endRequest(createFault('OUT_UNREADABLE', { what: 'it is larger than the limit' }));
  if (Number(length) > cap && method !== 'HEAD') {
    endTooLarge();
    return;
  }
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
  const decoder = hasBody ? DECODERS.get(encoding?.toLowerCase() ?? '')?.() : undefined;
  const source: Readable = decoder ?? response;
  const chunks: Buffer[] = [];
  let size = 0;
  source.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > cap) endTooLarge();
    else chunks.push(chunk);
  });
  source.once('end', () => {
    if (decoder !== undefined || response.complete)
      finishRequest({ status, type, location, body: Buffer.concat(chunks, size) });
  });
  source.on('error', endRequest);
  if (decoder !== undefined)
    pipeline(response, decoder, (error) => {
      if (error !== undefined && error !== null) endRequest(error);
    });
}

const GONE = new Set(['ECONNRESET', 'EPIPE']);
const SLOW = new Set(['ETIMEDOUT', 'ESOCKETTIMEDOUT']);

/** Messages of errors may contain the address; only codes are used. */
function toFault(error: unknown, { url, dynamic }: Pick<HttpCall, 'url' | 'dynamic'>): Fault {
  if (error instanceof Fault) return error;
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  if (code === REFUSED)
    return createFault('OUT_REFUSED', { host: url.host, what: message }, dynamic ? { status: 422 } : {});
  if (SLOW.has(code)) return createFault('OUT_TIMEOUT', {}, { retryable: true });
  if (code.startsWith('Z_') || code.startsWith('HPE_') || code.startsWith('ERR_HTTP')) {
    return createFault('OUT_UNREADABLE', { what: 'it breaks the protocol' });
  }
  return createFault('OUT_FAILED', {}, { retryable: true });
}
