/** The plans that `invoke` runs. They are frozen, and a reload replaces the whole set. */
import type { Deferral, Schedule } from '../contract/deferred.js';
import type { CursorPlan } from './cursor.js';
import type { Json } from '../contract/json.js';
import type { ModelTable } from '../contract/model.js';
import type { Execute, FileLimits, Identity, ProofSort, Step, Turns, Unit } from '../contract/plan.js';
import type { Carrying } from './carry.js';

export interface ActionPlan {
  /** `sign-up#2` */
  readonly key: string;
  readonly mode: string;
  /** Index of its result in the frame. */
  readonly index: number;
  readonly before: readonly Step[] | null;
  readonly execute: Execute;
  readonly after: readonly Step[] | null;
  /** The steps of `after` that shape a result; they also run when an earlier step (a cache) provided it. */
  readonly shape: readonly Step[] | null;
  readonly unit: Unit | null;
  /** Runs concurrently with its parallel neighbours, on a separate connection. */
  readonly parallel: boolean;
  /** Never shares a transaction. */
  readonly apart: boolean;
  /** The unit opens even when no neighbour shares it. */
  readonly always: boolean;
  /** Has no side effects. */
  readonly pure: boolean;
  /** Only reads its store. */
  readonly reads: boolean;
  /** The limiter that one of its steps requires before a unit opens. */
  readonly turns: Turns | null;
  readonly describe: Json;
}

/** Adjacent actionables that share a transaction or run in parallel; otherwise a single one. */
export interface ActionGroup {
  readonly unit: Unit | null;
  readonly parallel: boolean;
  readonly turns: Turns | null;
  readonly actions: readonly ActionPlan[];
}

/** A value created once per request: cached in the slot `memo`, assigned to its name in `slot`. */
export interface Maker {
  readonly slot: number;
  readonly memo: number;
  readonly make: () => unknown;
  /** Key of its actionable; null for a value of the resource. */
  readonly action: string | null;
}

/** Work outside the response: deferred or scheduled. */
export interface PartPlan extends Carrying {
  /** Key of its last actionable. */
  readonly key: string;
  /** Steps that run each time the part starts. */
  readonly admit: readonly Step[] | null;
  readonly groups: readonly ActionGroup[];
  /** How it is enqueued; null for scheduled work that runs immediately. */
  readonly deferral: (Required<Omit<Deferral, 'begin' | 'putIn' | 'inboxIn'>> & Pick<Deferral, 'begin'>) | null;
  /** How it resumes; null for a single step, or for work that is never repeated. */
  readonly cursor: CursorPlan | null;
}

/** The deferred work that a request accepts. */
export interface AcceptPlan {
  /** Steps that convert the payload to its storable form, before all other work. */
  readonly seal: readonly Step[] | null;
  readonly parts: readonly PartPlan[];
  /** The response only confirms the acceptance (202). */
  readonly whole: boolean;
}

/** A way to identify callers; plans with equal keys use the same one. */
export interface IdentityPlan {
  readonly key: string;
  /** The uid namespace of the callers; null where they cannot be addressed by uid. */
  readonly realm: string | null;
  /** Null where connections cannot be authenticated. */
  readonly identity: Identity | null;
}

export interface ResourcePlan {
  readonly id: string;
  readonly path: string;
  readonly file: string;
  readonly admit: readonly Step[] | null;
  readonly check: readonly Step[] | null;
  readonly groups: readonly ActionGroup[];
  /** Null: no work is deferred. */
  readonly accepts: AcceptPlan | null;
  /** By the key of their last actionable. */
  readonly parts: ReadonlyMap<string, PartPlan>;
  readonly schedules: readonly Schedule[];
  /** Index of the result that is the response; -1 when nothing runs. */
  readonly main: number;
  readonly reply: readonly Step[] | null;
  /** The response is computed inside the unit of the last group, before its commit. */
  readonly inside: boolean;
  readonly settle: readonly Step[] | null;
  readonly slots: number;
  /** Slots of values that are created once. */
  readonly memos: readonly number[];
  /** Named values that are generated, and their slots. */
  readonly makers: readonly Maker[];
  readonly results: number;
  /** The body may be an array. */
  readonly takesList: boolean;
  /** Limits of uploaded files; null where none are accepted. */
  readonly files: FileLimits | null;
  /** How callers are identified; empty where they are not. */
  readonly identities: readonly IdentityPlan[];
  /** The kind of authentication. */
  readonly proof: ProofSort;
  /** The resource rejects WebSocket messages. */
  readonly requestOnly: boolean;
  /** False when callers can reach nothing (only `no_op` actionables). */
  readonly reachable: boolean;
  readonly summary: ResourceSummary;
}

/** A row of the table of endpoints. */
export interface ResourceSummary {
  readonly guard: string;
  readonly validated: readonly string[];
  readonly touches: readonly string[];
  /** A body that passes the rules, for the curl example and for editors. */
  readonly sample: Json;
  /** The sample may be rejected, because it assumes stored data. */
  readonly presumes: boolean;
  readonly describe: Json;
}

/** A path with parameters; without a plan where its definition is invalid. */
export interface PatternRoute {
  readonly path: string;
  readonly plan: ResourcePlan | null;
}

export interface PatternMatch {
  readonly plan: ResourcePlan | null;
  /** Decoded path parameters, by name. */
  readonly parameters: Readonly<Record<string, string>>;
}

export interface Patterns {
  readonly routes: readonly PatternRoute[];
  /** `path` as the client sent it, with its escapes. */
  find(path: string): PatternMatch | null;
}

export interface PlanSet {
  readonly hash: string;
  readonly byPath: ReadonlyMap<string, ResourcePlan>;
  /** Paths with parameters (`users/:id`), which `byPath` does not contain. */
  readonly patterns: Patterns;
  readonly byId: ReadonlyMap<string, ResourcePlan>;
  /** Fixed paths of invalid resources. An earlier plan that is still served is in `byPath`. */
  readonly broken: ReadonlySet<string>;
  readonly tables: readonly ModelTable[];
  /** The distinct identities of all resources. */
  readonly identities: readonly IdentityPlan[];
}
