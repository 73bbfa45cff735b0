/** Plans calls to other services. All definitions share one client, closed with the kernel. */
import { readFile } from 'node:fs/promises';
import { resolve as resolvePath } from 'node:path';
import { rootCertificates } from 'node:tls';
import { createFault } from '../../../contract/fault.js';
import { asText, isObject, type Json, type JsonObject } from '../../../contract/json.js';
import { OUTBOUND, type Outbound } from '../../../contract/outbound.js';
import type { Frame, ModePlan, PlanTools } from '../../../contract/plan.js';
import { defineRuntime, type Log } from '../../../contract/plugin.js';
import { mode, type ModeHandle } from '../kind.js';
import { compileAddress } from './address.js';
import { createClient, resolveConnectTo, type HttpClient } from './client.js';
import { getHostAndPort, createPolicy, findHostRejection } from './guard.js';
import { compileBody, compileHeaders, type Headers } from './message.js';
import { isUtf8 } from 'node:buffer';
import { parseBounded } from '../../../language/strings/bounded-json.js';
import { parsePieces } from './values.js';

interface Caller extends ModeHandle {
  /** Created when connections open; no file is read before. */
  client: HttpClient | null;
}

export default defineRuntime<ModeHandle, Caller>(mode, {
  create: ({ outbound = OUTBOUND, log }): Caller => {
    const warn = createWarn(outbound, log);
    const caller: Caller = {
      client: null,
      plan: (value, _pointer, tools) => plan(value, tools, outbound, warn, () => caller.client),
    };
    return caller;
  },
  async open(handle, { outbound = OUTBOUND, folder, log }) {
    const ca =
      outbound.ca === null
        ? undefined
        : [...rootCertificates, await readFile(resolvePath(folder, outbound.ca), 'utf8')];
    handle.client = createClient({ outbound, log, ca });
  },
  close(handle) {
    handle.client?.close();
    return Promise.resolve();
  },
});

type Warn = (origin: string, place: string) => void;

/** The checker cannot see forbidden addresses in variables. */
function createWarn(outbound: Outbound, log: Log): Warn {
  const policy = createPolicy(outbound);
  const elsewhere = resolveConnectTo(outbound);
  return (origin, place) => {
    const { host, port } = getHostAndPort(new URL(origin));
    const reason = elsewhere.has(`${host}:${port}`) ? null : findHostRejection(host, port, policy);
    if (reason !== null) log.warn({ action: place, host, reason }, 'HTTP calls to this host will be rejected');
  };
}

function plan(
  value: Readonly<Record<string, Json>>,
  tools: PlanTools,
  outbound: Outbound,
  warn: Warn,
  client: () => HttpClient | null,
): ModePlan {
  const http: JsonObject = isObject(value['http']) ? value['http'] : {};
  const written = isObject(http['headers']) ? http['headers'] : {};
  const method = asText(http['method'] ?? 'GET');
  const address = compileAddress(asText(http['url']), http['query'], tools, outbound.dynamic_hosts);
  if (address.origin !== null) warn(address.origin, tools.place);
  const body = compileBody(http['request_body'], readContentType(written, tools), tools);
  const headers = compileHeaders(written, tools);
  const seconds = Math.min(numberIn(http, 'timeout', outbound.timeouts.total), outbound.timeouts.most);
  const accepted = Array.isArray(http['accept_status']) ? (http['accept_status'] as readonly number[]) : [];
  const settled = {
    method,
    accepts: new Set(accepted),
    retries: numberIn(http, 'retries', 0),
    redirects: numberIn(http, 'follow_redirects', 0),
    patience: seconds * 1000,
    dynamic: address.origin === null,
    place: tools.place,
  };
  const readHeaders = (frame: Frame): Headers => {
    const sent = addOwnHeaders(headers(frame), frame);
    if (body !== null) sent['content-type'] ??= body.contentType;
    return sent;
  };
  return {
    preview: (frame) => ({
      method,
      url: address.read(frame).href,
      headers: readHeaders(frame),
      body: body?.read(frame) ?? null,
    }),
    async execute(frame) {
      const sent = readHeaders(frame);
      const patience = Math.min(settled.patience, frame.invocation.deadline - performance.now());
      const call = { ...settled, patience, url: address.read(frame), headers: sent, body: body?.read(frame) };
      const ready = client();
      if (ready === null) throw createFault('OUT_FAILED');
      const { body: bytes, type } = await ready.call(call);
      return readReply(bytes, type, outbound.limits);
    },
    describe: { call: `${method} ${asText(http['url'])}`, seconds, ...pickDescribed(http) },
  };
}

const numberIn = (http: JsonObject, name: string, fallback: number): number =>
  typeof http[name] === 'number' ? http[name] : fallback;

const pickDescribed = (http: JsonObject): JsonObject =>
  Object.fromEntries(
    ['accept_status', 'retries', 'follow_redirects'].flatMap((name) =>
      name in http ? [[name, http[name] ?? null]] : [],
    ),
  );

function readContentType(written: JsonObject, tools: PlanTools): string | null {
  const [, text] = Object.entries(written).find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  const [only] = text === undefined ? [] : parsePieces(asText(text), tools);
  return typeof only === 'string' ? only : null;
}

/** Trace headers where the definition sets none. Jobs send their id as idempotency key. */
function addOwnHeaders(headers: Headers, { invocation }: Frame): Headers {
  if (invocation.trace !== null) for (const [name, value] of Object.entries(invocation.trace)) headers[name] ??= value;
  if (invocation.trigger === 'job') headers['idempotency-key'] ??= invocation.id;
  return headers;
}

type ReplyLimits = Outbound['limits'];

const JSON_TYPE = /^(application|text)\/([a-z0-9.!#$&^_-]+\+)?json$/;
const TEXT_TYPE = /^(text\/.+|application\/(.+\+)?xml|application\/x-www-form-urlencoded|application\/javascript)$/;

const createUnreadableFault = (what: string) => createFault('OUT_UNREADABLE', { what });

/** An empty body is null. Without a content type, the body decides. No Fault contains any of it. */
export function readReply(bytes: Buffer, contentType: string | undefined, limits: ReplyLimits): unknown {
  if (bytes.length === 0) return null;
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const name = type.trim();
  if (JSON_TYPE.test(name)) return readJson(bytes, limits);
  if (name === '') return isJsonLike(bytes) ? readJson(bytes, limits) : readText(bytes, undefined);
  if (!TEXT_TYPE.test(name)) throw createUnreadableFault('it is neither JSON nor text');
  const charset = parameters.map((one) => /^\s*charset="?([^"\s]+)"?\s*$/.exec(one)?.[1]).find(Boolean);
  return readText(bytes, charset);
}

function readJson(bytes: Buffer, limits: ReplyLimits): unknown {
  // Some services send a byte order mark, which is no JSON.
  const json = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
  if (!isUtf8(json)) throw createUnreadableFault('it is not UTF-8');
  try {
    return parseBounded(json, () => json.toString('utf8'), limits);
  } catch {
    throw createUnreadableFault('it is no JSON within the limits');
  }
}

function readText(bytes: Buffer, charset: string | undefined): string {
  let text: string;
  try {
    text = new TextDecoder(charset ?? 'utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw createUnreadableFault('its characters cannot be read');
  }
  if (text.includes('\0')) throw createUnreadableFault('it is not text');
  return text;
}

function isJsonLike(bytes: Buffer): boolean {
  const first = bytes.subarray(0, 64).toString('latin1').trimStart()[0];
  return first === '{' || first === '[';
}
