/** The plans of a set of definitions: what `invoke` runs. Frozen, and swapped whole when definitions change. */
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
  /** Place of its result in the frame. */
  readonly index: number;
  readonly before: readonly Step[] | null;
  readonly execute: Execute;
  readonly after: readonly Step[] | null;
  /** The last part of `after`: what is made of a result, also of one that a step before the work gave. */
  readonly shape: readonly Step[] | null;
  readonly unit: Unit | null;
  /** Runs beside its parallel neighbours, on a connection of its own. */
  readonly parallel: boolean;
  /** Shares no unit of work with its neighbours. */
  readonly apart: boolean;
  /** The unit is opened for this one alone too. */
  readonly always: boolean;
  /** Changes nothing anywhere. */
  readonly pure: boolean;
  /** Only reads in its store. */
  readonly reads: boolean;
  /** What one of its steps waits for before a unit is opened. */
  readonly turns: Turns | null;
  readonly describe: Json;
}

/** Adjacent actionables that share a unit of work, or that run at once; otherwise one actionable by itself. */
export interface ActionGroup {
  readonly unit: Unit | null;
  readonly parallel: boolean;
  readonly turns: Turns | null;
  readonly actions: readonly ActionPlan[];
}

/** A value that is made once: remembered in one slot, given to its name in another. */
export interface Maker {
  readonly slot: number;
  readonly memo: number;
  readonly make: () => unknown;
  /** Key of the actionable that has it; null for one of the resource. */
  readonly action: string | null;
}

/** What is done apart from the answer: behind it, or by the clock. */
export interface PartPlan extends Carrying {
  /** Key of its last actionable. */
  readonly key: string;
  /** What it has to pass each time that it is begun. */
  readonly admit: readonly Step[] | null;
  readonly groups: readonly ActionGroup[];
  /** How it is put off; null for what the clock begins and does at once. */
  readonly deferral: (Required<Omit<Deferral, 'begin' | 'putIn' | 'inboxIn'>> & Pick<Deferral, 'begin'>) | null;
  /** How it goes on where it was; null for what is one step, or is never repeated. */
  readonly cursor: CursorPlan | null;
}

/** What a request accepts when its own work is done. */
export interface AcceptPlan {
  /** Before anything is done: what replaces values by what may be kept. */
  readonly seal: readonly Step[] | null;
  readonly parts: readonly PartPlan[];
  /** It is all that the resource answers. */
  readonly whole: boolean;
}

/** One way in which callers are told apart; plans with equal keys do it alike. */
export interface IdentityPlan {
  readonly key: string;
  /** Of those whom it lets in, where they may be reached by their uid. */
  readonly realm: string | null;
  /** Null where nobody can say who is there without a request. */
  readonly identity: Identity | null;
}

export interface ResourcePlan {
  readonly id: string;
  readonly path: string;
  readonly file: string;
  readonly admit: readonly Step[] | null;
  readonly check: readonly Step[] | null;
  readonly groups: readonly ActionGroup[];
  /** Null: everything is done for the answer. */
  readonly accepts: AcceptPlan | null;
  /** By the key of their last actionable. */
  readonly parts: ReadonlyMap<string, PartPlan>;
  readonly schedules: readonly Schedule[];
  /** Index of the result that the resource answers; -1 when nothing runs. */
  readonly main: number;
  readonly reply: readonly Step[] | null;
  /** The answer is made inside the unit of the last group, before that is committed. */
  readonly inside: boolean;
  readonly settle: readonly Step[] | null;
  readonly slots: number;
  /** Slots of values that are made once. */
  readonly memos: readonly number[];
  /** Named values that are made, and where they are kept. */
  readonly makers: readonly Maker[];
  readonly results: number;
  /** The body may be an array. */
  readonly takesList: boolean;
  /** Files that may come with a request; null where none may. */
  readonly files: FileLimits | null;
  /** Who its callers are; empty where it does not tell them apart. */
  readonly identities: readonly IdentityPlan[];
  /** What it knows its callers by. */
  readonly proof: ProofSort;
  /** Messages of a connection are refused. */
  readonly requestOnly: boolean;
  /** False: nothing can be reached from outside (only `no_op` actionables). */
  readonly reachable: boolean;
  readonly summary: ResourceSummary;
}

/** A line of the table of endpoints. */
export interface ResourceSummary {
  readonly guard: string;
  readonly validated: readonly string[];
  readonly touches: readonly string[];
  /** A body that passes the rules, for the curl line and for editors. */
  readonly sample: Json;
  /** Such a body may be refused all the same: something must be stored already. */
  readonly presumes: boolean;
  readonly describe: Json;
}

/** A path with parameters; without a plan where its definition is broken. */
export interface PatternRoute {
  readonly path: string;
  readonly plan: ResourcePlan | null;
}

export interface PatternMatch {
  readonly plan: ResourcePlan | null;
  /** What stands in the path, decoded, by name. */
  readonly parameters: Readonly<Record<string, string>>;
}

export interface Patterns {
  readonly routes: readonly PatternRoute[];
  /** `path` as the client wrote it, with its escapes. */
  find(path: string): PatternMatch | null;
}

export interface PlanSet {
  readonly hash: string;
  readonly byPath: ReadonlyMap<string, ResourcePlan>;
  /** Paths with parameters (`users/:id`), which `byPath` cannot find. */
  readonly patterns: Patterns;
  readonly byId: ReadonlyMap<string, ResourcePlan>;
  /** Fixed paths of resources that have errors; an earlier plan of one, if it is still served, stands in `byPath`. */
  readonly broken: ReadonlySet<string>;
  readonly tables: readonly ModelTable[];
  /** Those of all resources, each once. */
  readonly identities: readonly IdentityPlan[];
}
