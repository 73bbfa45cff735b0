/**
 * The cache of an analyser: the result and problems of each stage per input object, held weakly.
 * A stage runs again only if one of its reads has changed.
 */
import type { CodeEntry } from '../../contract/problem.js';
import { createReport, type Report, type PendingProblem } from './report.js';

/** Primitive values are compared by value, also in arrays, sets and maps; other objects by identity. */
export type StageInput =
  | object
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly StageInput[]
  | ReadonlySet<unknown>
  | ReadonlyMap<unknown, unknown>;

export interface Stage<T> {
  readonly name: string;
  /** All reads of the work except the input object, its sources, and the registry. */
  readonly reads: readonly StageInput[];
  readonly compute: (report: Report) => T;
  /** Validates a cached result against reads that are only known after the work. */
  readonly isValid?: (outcome: T) => boolean;
}

/** A stage that runs on many inputs with one list of reads. */
export interface SharedStage<T extends object, R> {
  readonly name: string;
  /** Everything that the work reads, except the input object. */
  readonly reads: readonly StageInput[];
  readonly compute: (thing: T, report: Report) => R;
}

export interface StageCache {
  /** Returns the cached or new result; its problems go to `report` in both cases. */
  getOrCompute<T>(thing: object, report: Report, stage: Stage<T>): T;
  /** Returns the results in order; the shared reads are compared once. */
  getOrComputeAll<T extends object, R>(things: readonly T[], report: Report, stage: SharedStage<T, R>): R[];
}

interface StageResult {
  readonly outcome: unknown;
  readonly rows: readonly PendingProblem[];
}

interface CachedStageResult extends StageResult {
  readonly reads: readonly StageInput[];
}

export function createStageCache(codes: Readonly<Record<string, CodeEntry>>): StageCache {
  const kept = new WeakMap<object, Map<string, CachedStageResult>>();
  const shared = new Map<
    string,
    { readonly reads: readonly StageInput[]; readonly known: WeakMap<object, StageResult> }
  >();
  return {
    getOrCompute<T>(thing: object, report: Report, { name, reads, compute, isValid }: Stage<T>): T {
      const stages = kept.get(thing) ?? new Map<string, CachedStageResult>();
      kept.set(thing, stages);
      const known = stages.get(name);
      if (known !== undefined && isSame(known.reads, reads) && isValid?.(known.outcome as T) !== false) {
        report.merge(known.rows);
        return known.outcome as T;
      }
      const own = createReport(codes);
      const outcome = compute(own);
      stages.set(name, { reads, outcome, rows: own.rows });
      report.merge(own.rows);
      return outcome;
    },
    getOrComputeAll<T extends object, R>(things: readonly T[], report: Report, stage: SharedStage<T, R>): R[] {
      const { name, reads, compute } = stage;
      const before = shared.get(name);
      const isKnown = before !== undefined && isSame(before.reads, reads);
      const known = isKnown ? before.known : new WeakMap<object, StageResult>();
      if (!isKnown) shared.set(name, { reads, known });
      return things.map((thing) => {
        let done = known.get(thing);
        if (done === undefined) {
          const own = createReport(codes);
          done = { outcome: compute(thing, own), rows: own.rows };
          known.set(thing, done);
        }
        if (done.rows.length > 0) report.merge(done.rows);
        return done.outcome as R;
      });
    },
  };
}

/** Runs for every definition on every keystroke, so it allocates no arrays. */
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

/** Records lookups in the whole set, to validate the cached result. */
export interface AnswerRecorder {
  readonly recordAnswer: (name: string) => boolean;
  readonly recorded: ReadonlyMap<string, boolean>;
}

export function createAnswerRecorder(answer: (name: string) => boolean): AnswerRecorder {
  const told = new Map<string, boolean>();
  const recordAnswer = (name: string): boolean => {
    const said = answer(name);
    told.set(name, said);
    return said;
  };
  return { recordAnswer, recorded: told };
}

export function hasSameAnswers(told: ReadonlyMap<string, boolean>, answer: (name: string) => boolean): boolean {
  for (const [name, said] of told) if (answer(name) !== said) return false;
  return true;
}
