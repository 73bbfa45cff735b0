/** A request as any trigger builds it. */
import { createFault } from './fault.js';

export interface Invocation {
  readonly id: string;
  readonly trigger: string;
  /** For guards that verify its bytes. Throws a Fault of the transport. */
  readonly readRawBody: () => Promise<Uint8Array>;
  /** Path and query string as received; absent without a URL. */
  readonly target?: string;
  /** Called once, after the guards. `files`: null where none are accepted. Throws a Fault of the transport. */
  readonly readPayload: (files: FileLimits | null) => Payload | Promise<Payload>;
  /** Only a trigger sets them, so no payload can name a path. */
  readonly files: readonly UploadedFile[];
  /** Names of values that arrive as strings and need conversion; null for typed JSON. */
  readonly texts: ReadonlySet<string> | 'all' | null;
  /** Lower-case names; null prototype. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** One value for each occurrence; lower-case name. */
  readonly header: (name: string) => readonly string[];
  /** As forwarded by the trusted proxies of the config. */
  readonly remote: string;
  readonly startedAt: number;
  /**
   * Monotonic milliseconds after which no wait continues. Infinity for background work. It moves on while the client
   * takes a stream.
   */
  readonly deadline: number;
  /** Monotonic milliseconds: when the client last took some of a streamed response. */
  readonly movedAt?: number | null;
  /** Adds the milliseconds in which a debugger has held the request; absent without a deadline. */
  extendDeadline?(milliseconds: number): void;
  /** Cleanup at the end of the request. `answered`: the plan ran to its end; otherwise side effects may be removed. */
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
  /** False when the connection has ended or has the maximum of rooms. */
  join(room: string): boolean;
  leave(room: string): void;
}

/**
 * `header`: callers send a header that only a page with the secret can send. `ambient`: a browser attaches the
 * credentials.
 */
export type ProofSort = 'header' | 'ambient' | 'none';

/** Authenticates a connection by a header. */
export interface Identity {
  /** Lower case. */
  readonly header: string;
  /** Throws, or rejects with, the Fault of a request with this header. */
  identifyCaller(invocation: Pick<Invocation, 'id' | 'header' | 'startedAt'>): CallerIdentity | Promise<CallerIdentity>;
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
  /** The client's file name; data, never part of a path. */
  readonly originalName: string;
  /** Lower case, without parameters; may be empty. */
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
  /** The number of rows of the result; undefined where it is no row and no list. */
  readonly rows?: () => number | undefined;
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
