/** A request as a trigger builds it, for HTTP and all other triggers. */
import { createFault } from './fault.js';

export interface Invocation {
  readonly id: string;
  readonly trigger: string;
  /** The raw body, for guards that verify its bytes. Throws a Fault of the transport. */
  readonly readRawBody: () => Promise<Uint8Array>;
  /** Path and query string as received; absent without a URL. */
  readonly target?: string;
  /** Reads the payload, once, after the guards. `files`: null where none are accepted. Throws a Fault of the transport. */
  readonly readPayload: (files: FileLimits | null) => Payload | Promise<Payload>;
  /** Only a trigger sets them, so no payload can name a path. */
  readonly files: readonly UploadedFile[];
  /** Names of values that arrive as strings (query string, path) and need conversion; null for typed JSON. */
  readonly texts: ReadonlySet<string> | 'all' | null;
  /** Lower-case names; null prototype. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** One value for each occurrence; lower-case name. */
  readonly header: (name: string) => readonly string[];
  /** The client address, as forwarded by the config's number of trusted proxies. */
  readonly remote: string;
  readonly startedAt: number;
  /**
   * Monotonic milliseconds after which no wait continues. Infinity for background work. It moves on while the client takes a
   * response that is streamed.
   */
  readonly deadline: number;
  /** Monotonic milliseconds: when the client last took something of a response that is streamed. */
  readonly movedAt?: number | null;
  /** Moves the deadline by milliseconds in which a debugger has held the request; absent without a deadline. */
  extendDeadline?(milliseconds: number): void;
  /**
   * Registers cleanup for the end of the request. `answered`: the plan ran to its end; otherwise side effects such as stored
   * files may be removed.
   */
  readonly onFinish: (work: (answered: boolean) => void | Promise<void>) => void;
  /** For outbound calls; set by an observer. */
  trace: Readonly<Record<string, string>> | null;
  /** Trace headers of the request that accepted this work. */
  readonly origin?: Readonly<Record<string, string>>;
  /** The attempt number of background work. */
  readonly attempt?: number;
  /** The response can be sent while its result is received (`JsonStream`). */
  readonly streams?: boolean;
  /** Null for a plain request. */
  readonly connection: Connection | null;
  /** In the order they ended; null when no observer needs them. */
  readonly timings: ActionTiming[] | null;
}

export interface Connection {
  /** The address for targeted messages, not an authenticated identity. */
  readonly uid: string | null;
  /** False when the connection has ended, or has reached the maximum number of rooms. */
  join(room: string): boolean;
  leave(room: string): void;
}

/**
 * How callers authenticate. `header`: by a header that only a page holding the secret can send. `ambient`: by credentials that
 * a browser attaches (a cookie, the address).
 */
export type ProofSort = 'header' | 'ambient' | 'none';

/** Authenticates a connection by a header. */
export interface Identity {
  /** Lower case. */
  readonly header: string;
  /** Throws, or rejects with, the Fault that a request with the same header would receive. */
  identifyCaller(asked: Pick<Invocation, 'id' | 'header' | 'startedAt'>): CallerIdentity | Promise<CallerIdentity>;
}

export interface CallerIdentity {
  /** All verified claims. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Expiry in milliseconds since 1970. */
  readonly until: number;
}

export interface FileLimits {
  readonly count: number;
  /** Of one file. */
  readonly bytes: number;
}

/** In temporary storage until the request ends. */
export interface UploadedFile {
  /** Name of its form part. */
  readonly field: string;
  /** The last segment of the client's file name; data, never part of a path. */
  readonly originalName: string;
  /** The client's media type in lower case, without parameters; may be empty. */
  readonly declaredType: string;
  readonly size: number;
  /** Enough bytes to detect the type. */
  readonly head: Uint8Array;
  readonly path: string;
}

export interface ActionTiming {
  readonly key: string;
  readonly mode: string;
  /** Milliseconds since 1970, with fractions. */
  readonly startedAt: number;
  readonly milliseconds: number;
  readonly code: string | undefined;
}

/** An object; an array only where the plan accepts a list. */
export type Payload = Readonly<Record<string, unknown>>;

/** Path parameters take precedence. */
export function mergeParameters(sent: Payload, parameters: Readonly<Record<string, string>>): Payload {
  // An array has no named members.
  if (Array.isArray(sent)) throw createFault('VAL_NOT_OBJECT');
  return { ...sent, ...parameters };
}

/** `raw` alternates names and values; the parsed form hides repeated headers. */
export function listHeaderValues(raw: readonly string[], name: string): readonly string[] {
  const values: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const key = raw[i] ?? '';
    if (key.length === name.length && key.toLowerCase() === name) values.push(raw[i + 1] ?? '');
  }
  return values;
}
