/**
 * A request as a trigger builds it: what was sent, who sent it, what it holds until it is over. Nothing here knows of
 * resources; a trigger that is not HTTP makes the same.
 */

export interface Invocation {
  readonly id: string;
  readonly trigger: string;
  /**
   * The body as it came, byte for byte, for guards that judge it; read once, under the limit of bodies. Throws a Fault of the
   * door.
   */
  readonly bytes: () => Promise<Uint8Array>;
  /** Path and query string of the request, as they came; absent where nothing was requested by an address. */
  readonly target?: string;
  /**
   * Reads the payload; called once, after the guards have passed. `files`: how many files may come with it, and how large;
   * null where none may. Throws a Fault of the door.
   */
  readonly receive: (files: FileLimits | null) => Payload | Promise<Payload>;
  /** What came beside the payload, once it was received. Only a trigger makes these: no payload can name one. */
  readonly files: readonly UploadedFile[];
  /** Names of payload values that arrive as text whatever they mean (query string, path); null when JSON told types. */
  readonly texts: ReadonlySet<string> | 'all' | null;
  /** Lower-cased names; null prototype. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The values of a header (lower-case name), one for each time it was sent. */
  readonly header: (name: string) => readonly string[];
  /** Address of the client: of the connection, or as told by as many proxies as the config trusts. */
  readonly remote: string;
  readonly startedAt: number;
  /** Milliseconds of the monotonic clock: nothing is waited for beyond it. Infinity where nobody waits for the answer. */
  readonly deadline: number;
  /**
   * Runs `work` when the request is over, however it ended: what it holds (files, turns) is given back there. `answered`:
   * the plan ran to its end; otherwise it was refused or failed, and what it left behind may be taken back.
   */
  readonly release: (work: (answered: boolean) => void | Promise<void>) => void;
  /** Headers that belong on calls made for this request, such as those of a trace; an observer sets them. */
  trace: Readonly<Record<string, string>> | null;
  /** Headers of the trace that led to this, where it is no part of it: of the request that accepted work. */
  readonly origin?: Readonly<Record<string, string>>;
  /** Which run of deferred work this is. */
  readonly attempt?: number;
  /** The connection that a message came over; null where a request is all there is. */
  readonly connection: Connection | null;
  /** What each actionable took, in the order they ended; null when nobody asks. */
  readonly timings: ActionTiming[] | null;
}

/** A connection that stays open, as plans see it. */
export interface Connection {
  /** Where messages to one receiver go; an address, and never an identity. */
  readonly uid: string | null;
  /** Messages to this room reach the connection from now on. False: it is in as many rooms as one may be. */
  join(room: string): boolean;
  leave(room: string): void;
}

/**
 * By what a resource knows its callers. `header`: something that only a page that has it can send. `ambient`: what a browser brings
 * by itself (a cookie, the address). `none`: nothing.
 */
export type ProofSort = 'header' | 'ambient' | 'none';

/** How a trigger learns who is there before there is a request: by what a header proves. */
export interface Identity {
  /** Lower case. */
  readonly header: string;
  /** Throws, or rejects with, the Fault that a request with the same header would get. */
  identify(asked: Pick<Invocation, 'id' | 'header' | 'startedAt'>): Identified | Promise<Identified>;
}

export interface Identified {
  /** Everything that was proven, whatever definitions may read of it. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970; what was proven is over then. */
  readonly until: number;
}

export interface FileLimits {
  readonly count: number;
  /** Of one file. */
  readonly bytes: number;
}

/** A file that came with a request. It lies in a place of its own until the request is over. */
export interface UploadedFile {
  /** Name of its part in the form. */
  readonly field: string;
  /** The last segment of the name that the client gave; data, never part of a path. */
  readonly originalName: string;
  /** Media type as the client gave it, lower case, without parameters; empty where it gave none. */
  readonly declaredType: string;
  /** Bytes. */
  readonly size: number;
  /** Its first bytes, enough to tell what it is. */
  readonly head: Uint8Array;
  /** Where its bytes lie. */
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

/** An object; an array only where the plan says that it takes a list. */
export type Payload = Readonly<Record<string, unknown>>;
