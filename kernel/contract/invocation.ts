/**
 * A request as a trigger builds it: its input, its client, and the cleanup work at its end. It knows nothing of resources,
 * and triggers other than HTTP build the same object.
 */

export interface Invocation {
  readonly id: string;
  readonly trigger: string;
  /** The raw body, for guards that verify its bytes; read once, within the body limit. Throws a Fault of the transport. */
  readonly bytes: () => Promise<Uint8Array>;
  /** Path and query string as received; absent where no URL was requested. */
  readonly target?: string;
  /**
   * Reads the payload; called once, after the guards passed. `files`: limits of uploaded files, null where none are
   * accepted. Throws a Fault of the transport.
   */
  readonly receive: (files: FileLimits | null) => Payload | Promise<Payload>;
  /** Files received with the payload. Only a trigger sets them, so no payload can name a path. */
  readonly files: readonly UploadedFile[];
  /** Names of payload values that arrive as strings (query string, path) and need conversion; null for typed JSON. */
  readonly texts: ReadonlySet<string> | 'all' | null;
  /** Lower-case names; null prototype. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** All values of a header (lower-case name), one for each occurrence. */
  readonly header: (name: string) => readonly string[];
  /** Client address: of the connection, or as forwarded by the number of proxies that the config trusts. */
  readonly remote: string;
  readonly startedAt: number;
  /** Monotonic milliseconds after which no wait continues. Infinity where no client waits for the response. */
  readonly deadline: number;
  /**
   * Registers cleanup that runs when the request ends, however it ends. `answered` is true when the plan ran to its end;
   * otherwise the request failed, and side effects such as stored files may be removed.
   */
  readonly release: (work: (answered: boolean) => void | Promise<void>) => void;
  /** Trace headers for outbound calls of this request; an observer sets them. */
  trace: Readonly<Record<string, string>> | null;
  /** Trace headers of the request that accepted this work, when the work has its own trace. */
  readonly origin?: Readonly<Record<string, string>>;
  /** The attempt number of a background job. */
  readonly attempt?: number;
  /** The connection of a message; null for a plain request. */
  readonly connection: Connection | null;
  /** Timings of the actionables, in the order they ended; null when no observer needs them. */
  readonly timings: ActionTiming[] | null;
}

/** A persistent connection, as plans see it. */
export interface Connection {
  /** The address for targeted messages; it is not an authenticated identity. */
  readonly uid: string | null;
  /** Joins a room. Returns false when the connection has reached the maximum number of rooms. */
  join(room: string): boolean;
  leave(room: string): void;
}

/**
 * How a resource authenticates callers. `header`: a header that only a page holding the secret can send. `ambient`:
 * credentials that a browser attaches automatically (a cookie, the address). `none`: no authentication.
 */
export type ProofSort = 'header' | 'ambient' | 'none';

/** Authenticates a connection by a header, before there is a request. */
export interface Identity {
  /** Lower case. */
  readonly header: string;
  /** Throws, or rejects with, the Fault that a request with the same header would receive. */
  identify(asked: Pick<Invocation, 'id' | 'header' | 'startedAt'>): Identified | Promise<Identified>;
}

export interface Identified {
  /** All verified claims, including those that no definition reads. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Expiry in milliseconds since 1970. */
  readonly until: number;
}

export interface FileLimits {
  readonly count: number;
  /** Maximum bytes of one file. */
  readonly bytes: number;
}

/** An uploaded file, in temporary storage until the request ends. */
export interface UploadedFile {
  /** Name of its form part. */
  readonly field: string;
  /** The last segment of the client's file name; data, never part of a path. */
  readonly originalName: string;
  /** Lower-case media type from the client, without parameters; empty where none was sent. */
  readonly declaredType: string;
  readonly size: number;
  /** Its first bytes, for detecting the type. */
  readonly head: Uint8Array;
  /** Path of the temporary file. */
  readonly path: string;
}

export interface ActionTiming {
  readonly key: string;
  readonly mode: string;
  /** Milliseconds since 1970, with fractions. */
  readonly startedAt: number;
  readonly milliseconds: number;
  /** Code of the problem that ended it. */
  readonly code: string | undefined;
}

/** An object; an array only where the plan accepts a list. */
export type Payload = Readonly<Record<string, unknown>>;
