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
  /** Returns the earlier outcome if the new one is equal: then stages that read it do not run again. */
  readonly reuse?: (earlier: T, outcome: T) => T;
}

/** A stage that looks up in a source: it runs again only if an answer has changed, whatever else in the source has. */
export interface LookupStage<T, S extends object> {
  readonly name: string;
  /** As those of a stage, without the source. */
  readonly reads: readonly StageInput[];
  readonly source: S;
  readonly compute: (lookups: Lookups<S>, report: Report) => T;
  readonly reuse?: (earlier: T, outcome: T) => T;
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
  getOrLookUp<T, S extends object>(thing: object, report: Report, stage: LookupStage<T, S>): T;
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
  const cache: StageCache = {
    getOrCompute<T>(thing: object, report: Report, { name, reads, compute, isValid, reuse }: Stage<T>): T {
      const stages = kept.get(thing) ?? new Map<string, CachedStageResult>();
      kept.set(thing, stages);
      const known = stages.get(name);
      if (known !== undefined && isSame(known.reads, reads) && isValid?.(known.outcome as T) !== false) {
        report.merge(known.rows);
        return known.outcome as T;
      }
      const own = createReport(codes);
      const computed = compute(own);
      const outcome = known === undefined || reuse === undefined ? computed : reuse(known.outcome as T, computed);
      stages.set(name, { reads, outcome, rows: own.rows });
      report.merge(own.rows);
      return outcome;
    },
    getOrLookUp<T, S extends object>(thing: object, report: Report, stage: LookupStage<T, S>): T {
      const { name, reads, source, compute, reuse } = stage;
      interface LookUpResult {
        readonly outcome: T;
        readonly lookups: Lookups<S>;
      }
      const computeResult = (own: Report): LookUpResult => {
        const lookups = createLookups(source);
        return { outcome: compute(lookups, own), lookups };
      };
      const stageOfLookUp: Stage<LookUpResult> = {
        name,
        reads,
        compute: computeResult,
        isValid: ({ lookups }) => lookups.hasSameAnswers(source),
        ...(reuse && { reuse: (earlier, now) => ({ ...now, outcome: reuse(earlier.outcome, now.outcome) }) }),
      };
      return cache.getOrCompute(thing, report, stageOfLookUp).outcome;
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
  return cache;
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

/** Lookups of a stage in a source outside its `reads`. Another source with the same answers leads to the same result. */
export interface Lookups<S extends object> {
  /**
   * Reads from the source and records the answer; `read` may use nothing else.
   * Answers are compared as reads are; data by the text that `print` returns.
   */
  readonly readAnswer: <A extends StageInput>(
    key: string,
    read: (source: S) => A,
    print?: (answer: A) => StageInput,
  ) => A;
  readonly hasSameAnswers: (source: S) => boolean;
}

interface Lookup<S> {
  readonly answer: StageInput;
  readonly isSameFrom: (source: S) => boolean;
}

function createLookups<S extends object>(source: S): Lookups<S> {
  const asked = new Map<string, Lookup<S>>();
  // Only the last source is held: an earlier one would keep its definitions in memory.
  let last = source;
  return {
    readAnswer<A extends StageInput>(key: string, read: (source: S) => A, print?: (answer: A) => StageInput): A {
      const known = asked.get(key);
      if (known !== undefined) return known.answer as A;
      const answer = read(last);
      const isSameFrom = (other: S): boolean => {
        const found = read(other);
        return isSame(found, answer) || (print !== undefined && isSame(print(found), print(answer)));
      };
      asked.set(key, { answer, isSameFrom });
      return answer;
    },
    hasSameAnswers(other) {
      if (other === last) return true;
      for (const { isSameFrom } of asked.values()) if (!isSameFrom(other)) return false;
      last = other;
      return true;
    },
  };
}

/** Compares plain data by value, as results of stages are. */
export function isEqualData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((one, i) => isEqualData(one, b[i]));
  if (a instanceof Map) return b instanceof Map && a.size === b.size && isEqualData([...a], [...b]);
  if (a instanceof Set || b instanceof Map || b instanceof Set || Array.isArray(b)) return isSame(a, b);
  const [entries, others] = [Object.entries(a), Object.entries(b)];
  return entries.length === others.length && isEqualData(entries, others);
}
