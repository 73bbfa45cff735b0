/** An HTTP request as an invocation. It knows no rules of resources. */
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import type { ActionTiming, FileLimits, Invocation, Payload, UploadedFile } from '../../contract/plan.js';
import type { HttpConfig } from '../../language/analysis/config.js';
import { giveBack, type HeldWork } from '../runtime/held.js';
import { readBytes } from './body.js';
import { isForm, isInQuery, jsonPayload, queryPayload, refuseEncoding, withParameters } from './payload.js';

export type Intake = Pick<HttpConfig, 'limits' | 'timeouts' | 'trusted_proxies'>;

export interface Arrival {
  readonly id: string;
  readonly startedAt: number;
  /** Monotonic time. */
  readonly clock: number;
  readonly query: string;
  readonly parameters: Readonly<Record<string, string>> | null;
  readonly timed: boolean;
}

const NO_FILES: readonly UploadedFile[] = Object.freeze([]);

export class HttpInvocation implements Invocation {
  readonly id: string;
  readonly trigger = 'http';
  readonly startedAt: number;
  readonly deadline: number;
  readonly texts: ReadonlySet<string> | 'all' | null;
  readonly timings: ActionTiming[] | null;
  readonly connection = null;
  files = NO_FILES;
  trace: Readonly<Record<string, string>> | null = null;
  #bytes: Promise<Buffer> | null = null;
  #held: HeldWork[] | null = null;

  constructor(
    private readonly req: IncomingMessage,
    private readonly arrival: Arrival,
    private readonly intake: Intake,
  ) {
    const { id, startedAt, clock, parameters, timed } = arrival;
    this.id = id;
    this.startedAt = startedAt;
    this.deadline = clock + intake.timeouts.request * 1000;
    this.timings = timed ? [] : null;
    this.texts = isInQuery(req) || isForm(req) ? 'all' : parameters === null ? null : new Set(Object.keys(parameters));
  }

  get headers(): IncomingMessage['headers'] {
    return this.req.headers;
  }

  get target(): string {
    return this.req.url ?? '/';
  }

  get remote(): string {
    return remoteOf(this.req, this.intake.trusted_proxies);
  }

  header(name: string): readonly string[] {
    return headerValues(this.req.rawHeaders, name);
  }

  async bytes(): Promise<Buffer> {
    if (isInQuery(this.req)) return Buffer.alloc(0);
    refuseEncoding(this.req);
    return (this.#bytes ??= readBytes(this.req, this.intake.limits.body));
  }

  receive(files: FileLimits | null): Payload | Promise<Payload> {
    const { parameters } = this.arrival;
    const sent = this.#sent(files);
    if (parameters === null) return sent;
    return sent instanceof Promise
      ? sent.then((payload) => withParameters(payload, parameters))
      : withParameters(sent, parameters);
  }

  release(work: HeldWork): void {
    (this.#held ??= []).push(work);
  }

  /** Runs everything, then throws the first failure. */
  async finish(answered: boolean): Promise<void> {
    const held = this.#held;
    this.#held = null;
    if (held !== null) await giveBack(held, answered);
  }

  get holds(): boolean {
    return this.#held !== null;
  }

  #sent(files: FileLimits | null): Payload | Promise<Payload> {
    const { req } = this;
    if (isInQuery(req)) return queryPayload(this.arrival.query);
    return isForm(req) ? this.#form(files) : jsonPayload(req, this.#bytes, this.intake.limits);
  }

  async #form(files: FileLimits | null): Promise<Payload> {
    const { req, intake } = this;
    refuseEncoding(req);
    const { readForm } = await import('./form.js');
    const form = await readForm(req, await this.#bytes, {
      files,
      limits: intake.limits,
      idle: intake.timeouts.idle,
      release: (work) => this.release(work),
    });
    this.files = form.files;
    return form.payload;
  }
}

/** `rawHeaders` alternates names and values; the parsed form hides repeated headers. */
export function headerValues(raw: readonly string[], name: string): readonly string[] {
  const values: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const key = raw[i] ?? '';
    if (key.length === name.length && key.toLowerCase() === name) values.push(raw[i + 1] ?? '');
  }
  return values;
}

export const remoteOf = ({ socket, rawHeaders }: IncomingMessage, proxies: number): string =>
  clientAddress(socket.remoteAddress ?? '', proxies === 0 ? [] : headerValues(rawHeaders, 'x-forwarded-for'), proxies);

/** Returns the `x-forwarded-for` entry of the outermost trusted proxy, because clients can forge earlier ones. */
export function clientAddress(peer: string, forwarded: readonly string[], proxies: number): string {
  const plain = plainAddress(peer);
  if (proxies === 0) return plain;
  const told = forwarded.flatMap((line) => line.split(',')).map((entry) => plainAddress(entry.trim()));
  const entry = told[told.length - proxies];
  return entry !== undefined && isIP(entry) !== 0 ? entry : plain;
}

const MAPPED = '::ffff:';

/** Dual-stack sockets report IPv4 clients as IPv4-mapped IPv6 addresses. */
const plainAddress = (address: string): string =>
  address.toLowerCase().startsWith(MAPPED) && isIPv4(address.slice(MAPPED.length))
    ? address.slice(MAPPED.length)
    : address;
