/** An HTTP request as an invocation. It knows no rules of resources. */
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import type { ActionTiming, FileLimits, Invocation, Payload, UploadedFile } from '../../contract/plan.js';
import type { BodyFormat } from '../../contract/body-format.js';
import type { HttpConfig } from '../../language/analysis/config.js';
import { runCleanups, type Cleanup } from '../../contract/cleanup.js';
import { listHeaderValues, mergeParameters } from '../../contract/invocation.js';
import { MovingDeadline } from '../../contract/moving-deadline.js';
import { readBytes } from './body.js';
import { findFormat, isInQuery, readJsonPayload, parseQueryPayload, rejectEncoding } from './payload.js';

export interface RequestSettings extends Pick<HttpConfig, 'limits' | 'timeouts' | 'trusted_proxies'> {
  /** Nothing needs a response in full before it is sent. */
  readonly streams: boolean;
  /** An observer needs the timings of actionables. */
  readonly timed: boolean;
  /** By media type. */
  readonly formats: ReadonlyMap<string, BodyFormat>;
}

export interface RequestMeta {
  readonly id: string;
  readonly startedAt: number;
  /** Monotonic time. */
  readonly clock: number;
  readonly query: string;
}

const NO_FILES: readonly UploadedFile[] = Object.freeze([]);

export class HttpInvocation implements Invocation {
  readonly id: string;
  readonly trigger = 'http';
  readonly startedAt: number;
  readonly limit: MovingDeadline;
  readonly texts: ReadonlySet<string> | 'all' | null;
  readonly timings: ActionTiming[] | null;
  readonly connection = null;
  readonly streams: boolean;
  files = NO_FILES;
  trace: Readonly<Record<string, string>> | null = null;
  #bytes: Promise<Buffer> | null = null;
  #held: Cleanup[] | null = null;
  readonly #isInQuery: boolean;
  readonly #format: BodyFormat | null;

  constructor(
    private readonly req: IncomingMessage,
    private readonly arrival: RequestMeta,
    private readonly parameters: Readonly<Record<string, string>> | null,
    private readonly intake: RequestSettings,
  ) {
    const { id, startedAt, clock } = arrival;
    this.id = id;
    this.startedAt = startedAt;
    const patience = intake.timeouts.request * 1000;
    this.limit = new MovingDeadline(clock + patience, patience);
    this.timings = intake.timed ? [] : null;
    // In HTTP/1.0, a response that was cut off looks complete.
    this.streams = intake.streams && req.httpVersion !== '1.0' && req.method !== 'HEAD';
    this.#isInQuery = isInQuery(req);
    this.#format = this.#isInQuery ? null : findFormat(req, intake.formats);
    const isText = this.#isInQuery || this.#format !== null;
    this.texts = isText ? 'all' : parameters === null ? null : new Set(Object.keys(parameters));
  }

  get deadline(): number {
    return this.limit.current;
  }

  get movedAt(): number | null {
    return this.limit.movedAt;
  }

  extendDeadline(milliseconds: number): void {
    this.limit.extend(milliseconds);
  }

  get headers(): IncomingMessage['headers'] {
    return this.req.headers;
  }

  get target(): string {
    return this.req.url ?? '/';
  }

  get remote(): string {
    return getRemoteAddress(this.req, this.intake.trusted_proxies);
  }

  header(name: string): readonly string[] {
    return listHeaderValues(this.req.rawHeaders, name);
  }

  readRawBody(): Promise<Buffer> {
    if (this.#isInQuery) return Promise.resolve(Buffer.alloc(0));
    rejectEncoding(this.req);
    return (this.#bytes ??= readBytes(this.req, this.intake.limits.body));
  }

  readPayload(files: FileLimits | null): Payload | Promise<Payload> {
    const { parameters } = this;
    const sent = this.#sent(files);
    if (parameters === null) return sent;
    return sent instanceof Promise
      ? sent.then((payload) => mergeParameters(payload, parameters))
      : mergeParameters(sent, parameters);
  }

  onFinish(work: Cleanup): void {
    (this.#held ??= []).push(work);
  }

  /** Runs everything, then throws the first failure. */
  async dispose(answered: boolean): Promise<void> {
    const held = this.#held;
    this.#held = null;
    if (held !== null) await runCleanups(held, answered);
  }

  get hasCleanup(): boolean {
    return this.#held !== null;
  }

  #sent(files: FileLimits | null): Payload | Promise<Payload> {
    const { req } = this;
    if (this.#isInQuery) return parseQueryPayload(this.arrival.query);
    return this.#format !== null
      ? this.#readWith(this.#format, files)
      : readJsonPayload(req, this.#bytes, this.intake.limits);
  }

  async #readWith(format: BodyFormat, files: FileLimits | null): Promise<Payload> {
    const { req, intake } = this;
    rejectEncoding(req);
    const body = await format.read(req, {
      bytes: await this.#bytes,
      files,
      limits: intake.limits,
      idle: intake.timeouts.idle,
      onFinish: (work) => this.onFinish(work),
    });
    this.files = body.files;
    return body.payload;
  }
}

export const getRemoteAddress = ({ socket, rawHeaders }: IncomingMessage, proxies: number): string =>
  resolveClientAddress(
    socket.remoteAddress ?? '',
    proxies === 0 ? [] : listHeaderValues(rawHeaders, 'x-forwarded-for'),
    proxies,
  );

/** Returns the `x-forwarded-for` entry of the outermost trusted proxy, because clients can forge earlier ones. */
export function resolveClientAddress(peer: string, forwarded: readonly string[], proxies: number): string {
  const plain = toPlainAddress(peer);
  if (proxies === 0) return plain;
  const entries = forwarded.flatMap((line) => line.split(',')).map((entry) => toPlainAddress(entry.trim()));
  const entry = entries[entries.length - proxies];
  return entry !== undefined && isIP(entry) !== 0 ? entry : plain;
}

const MAPPED = '::ffff:';

/** Dual-stack sockets report IPv4 clients as IPv4-mapped IPv6 addresses. */
const toPlainAddress = (address: string): string =>
  address.toLowerCase().startsWith(MAPPED) && isIPv4(address.slice(MAPPED.length))
    ? address.slice(MAPPED.length)
    : address;
