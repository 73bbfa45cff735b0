/** The plans that `invoke` runs. They are frozen, and a reload replaces the whole set. */
import type { BootError } from './boot-error.js';
import type { Problem } from './problem.js';
import type { BlindIndexSource } from './migration.js';
import type { Schedule } from './deferred.js';
import type { Json } from './json.js';
import type { ModelTable } from './model.js';
import type { Execute, FileLimits, ModePlan, ProofSort, Step, StepLimiter, Unit } from './plan.js';
import type { IdentityPlan } from './trigger.js';
import type { MergedDeferral, PartRunner, PartWork, SlotInitializer } from './part.js';

export interface ActionPlan {
  /** `sign-up#2` */
  readonly key: string;
  readonly mode: string;
  /** Index of its result in the frame. */
  readonly index: number;
  readonly before: readonly Step[] | null;
  readonly execute: Execute;
  readonly after: readonly Step[] | null;
  /** The steps of `after` that also run when a cache provided the result. */
  readonly shape: readonly Step[] | null;
  readonly unit: Unit | null;
  /** Runs concurrently with parallel neighbours, on a separate connection. */
  readonly parallel: boolean;
  /** Never shares a transaction. */
  readonly apart: boolean;
  /** The unit opens even when no neighbour shares it. */
  readonly always: boolean;
  /** Has no side effects. */
  readonly pure: boolean;
  /** Pure, and outside of every store. */
  readonly passive: boolean;
  readonly reads: boolean;
  /** Plugins see its execution. */
  readonly isTapped: boolean;
  /** The limiter that a step requires before the unit opens. */
  readonly turns: StepLimiter | null;
  readonly preview: ModePlan['preview'] | null;
  readonly describe: Json;
}

/** Sees every plan when it is compiled, and may return one with other closures. */
export interface PlanObserver {
  /** Before actionables are grouped. `resource`: the id of the plan that it is part of. */
  readonly observeAction: (action: ActionPlan, resource: string) => ActionPlan;
  readonly observeResource: (plan: ResourcePlan) => ResourcePlan;
}

/** Actionables that share a transaction or run in parallel, or a single one. */
export interface ActionGroup {
  readonly unit: Unit | null;
  readonly parallel: boolean;
  readonly turns: StepLimiter | null;
  readonly actions: readonly ActionPlan[];
}

/** Deferred or scheduled work. */
export interface PartPlan {
  /** Key of its last actionable. */
  readonly key: string;
  /** Steps that run whenever the part starts. */
  readonly admit: readonly Step[] | null;
  readonly groups: readonly ActionGroup[];
  /** The steps of all stages. */
  readonly steps: readonly ActionGroup[];
  readonly work: PartWork;
  /** Null for scheduled work that runs immediately. */
  readonly deferral: MergedDeferral | null;
}

/** Deferred work of a request. */
export interface AcceptPlan {
  /** Steps that convert the payload to its storable form. */
  readonly seal: readonly Step[] | null;
  readonly parts: readonly PartPlan[];
  /** The response only confirms the acceptance (202). */
  readonly whole: boolean;
  readonly accept: PartRunner['accept'];
}

export interface ResourcePlan {
  readonly id: string;
  readonly path: string;
  readonly file: string;
  /** Ids of the plugins that planned it. */
  readonly plugins: ReadonlySet<string>;
  readonly admit: readonly Step[] | null;
  readonly check: readonly Step[] | null;
  readonly groups: readonly ActionGroup[];
  /** Null: no work is deferred. */
  readonly accepts: AcceptPlan | null;
  /** By the key of their last actionable. */
  readonly parts: ReadonlyMap<string, PartPlan>;
  readonly schedules: readonly Schedule[];
  /** Index of the result that is the response; -1 for none. */
  readonly main: number;
  readonly reply: readonly Step[] | null;
  /** The response is computed before the last group commits. */
  readonly inside: boolean;
  readonly settle: readonly Step[] | null;
  readonly slots: number;
  /** Slots by `resource:name`. */
  readonly names: ReadonlyMap<string, number>;
  readonly memos: readonly number[];
  readonly makers: readonly SlotInitializer[];
  readonly results: number;
  /** The body may be an array. */
  readonly takesList: boolean;
  /** Null: files are rejected. */
  readonly files: FileLimits | null;
  /** Empty where callers are not identified. */
  readonly identities: readonly IdentityPlan[];
  readonly proof: ProofSort;
  /** Only HTTP requests may invoke it. */
  readonly requestOnly: boolean;
  /** False when a request can run nothing (only `no_op` or scheduled actionables). */
  readonly reachable: boolean;
  readonly summary: ResourceSummary;
}

/** A row of the table of endpoints. */
export interface ResourceSummary {
  readonly guard: string;
  readonly validated: readonly string[];
  readonly touches: readonly string[];
  /** A body that passes the rules, for curl and editors. */
  readonly sample: Json;
  /** The sample may be rejected, because it assumes stored data. */
  readonly presumes: boolean;
  readonly describe: Json;
}

/** The plan is null where the definition is invalid. */
export interface PatternRoute {
  readonly path: string;
  readonly plan: ResourcePlan | null;
}

export interface PatternMatch {
  readonly plan: ResourcePlan | null;
  /** Decoded path parameters. */
  readonly parameters: Readonly<Record<string, string>>;
}

export interface Patterns {
  readonly routes: readonly PatternRoute[];
  /** `path` as sent, with its escapes. */
  find(path: string): PatternMatch | null;
}

export interface PlanSet {
  readonly hash: string;
  readonly byPath: ReadonlyMap<string, ResourcePlan>;
  /** Paths with parameters, which `byPath` does not contain. */
  readonly patterns: Patterns;
  readonly byId: ReadonlyMap<string, ResourcePlan>;
  /** Fixed paths of invalid resources; retained plans are in `byPath`. */
  readonly broken: ReadonlySet<string>;
  readonly tables: readonly ModelTable[];
  readonly indexSources: readonly BlindIndexSource[];
  /** The identities of all resources, each once. */
  readonly identities: readonly IdentityPlan[];
  /** Resources with settings that a plugin rejected; they are among `broken`. */
  readonly failures: readonly PlanFailure[];
}

export interface PlanFailure {
  readonly resource: string;
  readonly error: BootError;
  readonly problem: Problem;
}
