/**
 * What an analysis remembers for the next one. A stage is work on one thing (a definition, a group of resources): its outcome
 * and the problems it reported are kept beside the thing, with everything else that the work has read. As long as all of that
 * is the same, the work is not done again. Things are held weakly: what nobody analyses any more is forgotten.
 */
import type { CodeEntry } from '../contract/problem.js';
import { createReport, type Report, type Row } from './report.js';

/** Texts, numbers and the like count by value, also in lists, sets and maps; objects only as themselves. */
export type Read =
  | object
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Read[]
  | ReadonlySet<unknown>
  | ReadonlyMap<unknown, unknown>;

export interface Stage<T> {
  readonly name: string;
  /** All that the work reads beside the thing itself, what it was made of, and the registry. */
  readonly reads: readonly Read[];
  readonly work: (report: Report) => T;
  /** For what can be known only when the work is done: whether the outcome would still be the same. */
  readonly holds?: (outcome: T) => boolean;
}

/** The same work on many things, with one list of what all of it reads. */
export interface SharedStage<T extends object, R> {
  readonly name: string;
  /** All that the work on any of them reads beside the thing itself. */
  readonly reads: readonly Read[];
  readonly work: (thing: T, report: Report) => R;
}

export interface Memory {
  /** The outcome of a stage of `thing`; its problems go to `report`, whether it was done or remembered. */
  remember<T>(thing: object, report: Report, stage: Stage<T>): T;
  /** The outcomes for all things, in their order: what they read is compared once, and not for each. */
  rememberAll<T extends object, R>(things: readonly T[], report: Report, stage: SharedStage<T, R>): R[];
}

interface Done {
  readonly outcome: unknown;
  readonly rows: readonly Row[];
}

interface Kept extends Done {
  readonly reads: readonly Read[];
}

export function createMemory(codes: Readonly<Record<string, CodeEntry>>): Memory {
  const kept = new WeakMap<object, Map<string, Kept>>();
  const shared = new Map<string, { readonly reads: readonly Read[]; readonly known: WeakMap<object, Done> }>();
  return {
    remember<T>(thing: object, report: Report, { name, reads, work, holds }: Stage<T>): T {
      const stages = kept.get(thing) ?? new Map<string, Kept>();
      kept.set(thing, stages);
      const known = stages.get(name);
      if (known !== undefined && isSame(known.reads, reads) && holds?.(known.outcome as T) !== false) {
        report.append(known.rows);
        return known.outcome as T;
      }
      const own = createReport(codes);
      const outcome = work(own);
      stages.set(name, { reads, outcome, rows: own.rows });
      report.append(own.rows);
      return outcome;
    },
    rememberAll<T extends object, R>(things: readonly T[], report: Report, stage: SharedStage<T, R>): R[] {
      const { name, reads, work } = stage;
      const before = shared.get(name);
      const isKnown = before !== undefined && isSame(before.reads, reads);
      const known = isKnown ? before.known : new WeakMap<object, Done>();
      if (!isKnown) shared.set(name, { reads, known });
      return things.map((thing) => {
        let done = known.get(thing);
        if (done === undefined) {
          const own = createReport(codes);
          done = { outcome: work(thing, own), rows: own.rows };
          known.set(thing, done);
        }
        if (done.rows.length > 0) report.append(done.rows);
        return done.outcome as R;
      });
    },
  };
}

/** Loops and no lists in between: this is asked for every definition with every keystroke. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a)) return Array.isArray(b) && isSameList(a, b);
  if (a instanceof Map) return b instanceof Map && a.size === b.size && isSameOrder(a.entries(), b.entries());
  return a instanceof Set && b instanceof Set && a.size === b.size && isSameOrder(a.values(), b.values());
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!isSame(a[i], b[i])) return false;
  return true;
}

function isSameOrder(a: Iterable<unknown>, b: Iterator<unknown>): boolean {
  for (const one of a) if (!isSame(one, b.next().value)) return false;
  return true;
}

/** A question that work may put to the whole set, and what it was told. */
export interface Questions {
  readonly ask: (name: string) => boolean;
  readonly told: ReadonlyMap<string, boolean>;
}

export function questions(answer: (name: string) => boolean): Questions {
  const told = new Map<string, boolean>();
  const ask = (name: string): boolean => {
    const said = answer(name);
    told.set(name, said);
    return said;
  };
  return { ask, told };
}

export function toldTheSame(told: ReadonlyMap<string, boolean>, answer: (name: string) => boolean): boolean {
  for (const [name, said] of told) if (answer(name) !== said) return false;
  return true;
}
