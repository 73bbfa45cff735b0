/**
 * The kernel's services for triggers, which begin work without an HTTP request, and how they take connections over.
 */
import type { Fault } from './fault.js';
import type { RouteRequest } from './route.js';
import type { InvocationRecord } from './telemetry.js';
import type { Reply } from './reply.js';
import type { Identity, Invocation, ProofSort } from './invocation.js';
import type { ErrorResponse } from './problem.js';

/**
 * `own`: this server's page or none. `listed`: an origin of the config. `any`: all are allowed. `foreign`: another
 * origin.
 */
export type Sender = 'own' | 'listed' | 'any' | 'foreign';

/** With all origins allowed, only ambient credentials need protection: browsers attach them without consent. */
export const isForeignSender = (sender: Sender, proof: ProofSort): boolean =>
  sender === 'foreign' || (sender === 'any' && proof === 'ambient');

/** Plans with equal keys identify callers in the same way. */
export interface IdentityPlan {
  readonly key: string;
  /** The uid namespace; null where callers cannot be addressed by uid. */
  readonly realm: string | null;
  /** Null where connections cannot be authenticated. */
  readonly identity: Identity | null;
}

/** The plan of a path. A reload does not change it. */
export interface FoundResource {
  readonly id: string;
  /** As written in the definition. */
  readonly path: string;
  /** Null for a path without parameters. */
  readonly parameters: Readonly<Record<string, string>> | null;
  readonly proof: ProofSort;
  /** Only HTTP requests may invoke it. */
  readonly requestOnly: boolean;
  /** Rejects with a Fault that names the resource and the failed actionable. */
  invoke(invocation: Invocation): Promise<Reply>;
}

export interface TriggerServices {
  /** Throws REQ_NOT_FOUND, or REQ_BROKEN for an invalid definition. */
  findResource(path: string): FoundResource;
  /** Each once. A new list after each change. */
  identities(): readonly IdentityPlan[];
  /** By id of a resource: a text that changes with its guards. */
  guards(): ReadonlyMap<string, string>;
  readonly getStatus: (failure: Fault) => number;
  /** The message of the definition, or of the catalogue. */
  readonly getDetail: (failure: Fault) => string;
  /** The response; a failure of the server is logged. */
  readonly respondToFailure: (error: unknown, id: string) => ErrorResponse;
  readonly logFailure: (error: unknown, id: string) => void;
  /** A hook needs the timings of actionables. Constant after the start. */
  readonly timed: boolean;
  /** Null without a tap of `after-response`. Constant after the start. */
  readonly notifyObservers: ((record: InvocationRecord) => void) | null;
}

/** The settings that connections share with requests. */
export interface ConnectionSettings {
  readonly profile: string | null;
  readonly http: {
    readonly limits: { readonly url: number; readonly depth: number; readonly keys: number; readonly array: number };
    /** Seconds. */
    readonly timeouts: { readonly request: number };
  };
}

/** A request to leave HTTP. */
export interface UpgradeRequest extends RouteRequest {
  readonly sender: Sender;
}

/** The objects of Node's event `upgrade`. */
export interface Handover {
  readonly req: object;
  readonly socket: object;
  readonly head: Uint8Array;
}

/** Connections that have left HTTP. */
export interface ConnectionServer {
  /** Called once for each request within the limits of HTTP. False: it receives the response of `reject`. */
  admits(request: UpgradeRequest): boolean;
  reject(request: UpgradeRequest): Fault;
  accept(request: UpgradeRequest, handover: Handover): void;
  /** The number of open connections. */
  count(): number;
  /** Accepts nothing new; resolves when current work has finished. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

export interface Upgrade {
  readonly path: string;
  /** The setting with the path, for messages. */
  readonly setting: string;
  /** Called once, before the server listens. */
  readonly open: (settings: ConnectionSettings) => Promise<ConnectionServer>;
}
