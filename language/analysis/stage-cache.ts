/**
 * The cache of an analyser: the outcome of each stage per input object, held weakly. A stage runs again only if a
 * read has changed.
 */
import type { CodeEntry } from '../../contract/problem.js';
import { splitIntoBlocks, type Blocks } from './blocks.js';
import { trimList } from '../source/trim-list.js';
import { createReport, type Report, type PendingProblem } from './report.js';

export type { Blocks } from './blocks.js';

/** Primitive values, arrays, sets and maps are compared by value, others by identity. */
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
  /** All except the input object, its sources, and the registry. */
  readonly reads: readonly StageInput[];
  readonly compute: (report: Report) => T;
}

/** A stage that looks up in a source runs again only if an answer has changed. */
export interface LookupStage<T, S extends object> {
  readonly name: string;
  /** As those of a stage, without the source. */
  readonly reads: readonly StageInput[];
  readonly source: S;
  readonly compute: (lookups: Lookups<S>, report: Report) => T;
  /** Returns the earlier outcome if the new one is equal: then its readers do not run again. */
  readonly reuse?: (earlier: T, outcome: T) => T;
}

/** A look-up stage that runs on many inputs. */
export interface SharedLookupStage<T extends object, R, S extends object> {
  readonly name: string;
  /** Everything that the work reads for every input, except the source. */
  readonly reads: readonly StageInput[];
  readonly readsOf?: (thing: T) => StageInput;
  readonly source: S;
  readonly compute: (thing: T, lookups: Lookups<S>, report: Report) => R;
  readonly reuse?: (earlier: R, outcome: R) => R;
}

/** A stage of many inputs with one list of reads. */
export interface SharedStage<T extends object, R> {
  readonly name: string;
  /** Everything that the work reads, except the input object. */
  readonly reads: readonly StageInput[];
  readonly compute: (thing: T, report: Report) => R;
}

export interface StageCache {
  /** Cached or new; its problems go to `report` in both cases. */
  getOrCompute<T>(thing: object, report: Report, stage: Stage<T>): T;
  getOrLookUp<T, S extends object>(thing: object, report: Report, stage: LookupStage<T, S>): T;
  /** In order. Unchanged blocks of inputs cost one comparison. */
  getOrLookUpAll<T extends object, R, S extends object>(
    blocks: Blocks<T>,
    report: Report,
    stage: SharedLookupStage<T, R, S>,
  ): R[];
  /** A block stays the same object while its items do, so that what reads it can be memoized. */
  splitIntoBlocks<T extends object>(name: string, list: readonly T[]): Blocks<T>;
  /** Returns the results in order; the shared reads are compared once. */
  getOrComputeAll<T extends object, R>(things: readonly T[], report: Report, stage: SharedStage<T, R>): R[];
}

interface StageResult {
  readonly name: string;
  readonly reads: readonly StageInput[];
  readonly outcome: unknown;
  readonly rows: readonly PendingProblem[];
  /** Of a stage that looks up. */
  readonly lookups: CachedLookups | null;
}

/** The results of one object, in a chain: there are few, and a map for each object would take most of the memory. */
interface CachedStageResult extends StageResult {
  readonly next: CachedStageResult | null;
}

type SharedResult = Pick<StageResult, 'outcome' | 'rows'>;

interface CachedLookups {
  readonly hasSameAnswers: (source: object) => boolean;
}

export function createStageCache(codes: Readonly<Record<string, CodeEntry>>): StageCache {
  const kept = new WeakMap<object, CachedStageResult>();
  const shared = new Map<
    string,
    { readonly reads: readonly StageInput[]; readonly known: WeakMap<object, SharedResult> }
  >();
  const sharedReads = new Map<string, readonly StageInput[]>();
  const blocksByName = new Map<string, Blocks<object>>();
  const findResult = (thing: object, name: string): CachedStageResult | null => {
    let one = kept.get(thing) ?? null;
    while (one !== null && one.name !== name) one = one.next;
    return one;
  };
  /** `known`: what was found for the same object and stage. */
  const storeResult = (thing: object, known: CachedStageResult | null, result: StageResult): void => {
    const { name, reads, outcome, lookups } = result;
    const rows = trimList(result.rows);
    if (known === null) kept.set(thing, { name, reads, outcome, rows, lookups, next: kept.get(thing) ?? null });
    else Object.assign(known, { reads, outcome, rows, lookups });
  };
  const cache: StageCache = {
    splitIntoBlocks<T extends object>(name: string, list: readonly T[]): Blocks<T> {
      const blocks = splitIntoBlocks(list, (blocksByName.get(name) ?? []) as Blocks<T>);
      blocksByName.set(name, blocks);
      return blocks;
    },
    getOrLookUpAll<T extends object, R, S extends object>(
      blocks: Blocks<T>,
      report: Report,
      { name, reads, readsOf, source, compute, reuse }: SharedLookupStage<T, R, S>,
    ): R[] {
      const before = sharedReads.get(name);
      // Compared once, not for each block.
      const shared = before !== undefined && isSame(before, reads) ? before : reads;
      sharedReads.set(name, shared);
      // One list for all, where each reads the same.
      const alone = [shared];
      const listReads = (thing: T): StageInput[] => (readsOf === undefined ? alone : [shared, readsOf(thing)]);
      const found: R[] = [];
      for (const block of blocks) {
        const known = findResult(block, name);
        const isKnown = known?.reads[0] === shared && hasSameReads(block, readsOf, known.reads);
        if (isKnown && known.lookups?.hasSameAnswers(source) === true) {
          if (known.rows.length > 0) report.merge(known.rows);
          for (const one of known.outcome as R[]) found.push(one);
          continue;
        }
        const rows = createReport(codes);
        const outcome = block.map((thing) =>
          cache.getOrLookUp(thing, rows, {
            name,
            source,
            reads: listReads(thing),
            compute: (lookups: Lookups<S>, each) => compute(thing, lookups, each),
            ...(reuse && { reuse }),
          }),
        );
        const lookups = new JoinedLookups(
          block.map((thing) => findResult(thing, name)?.lookups ?? null),
          source,
        );
        const own = readsOf === undefined ? [] : block.map(readsOf);
        storeResult(block, known, { name, reads: [shared, ...own], outcome, rows: rows.rows, lookups });
        report.merge(rows.rows);
        for (const one of outcome) found.push(one);
      }
      return found;
    },
    getOrCompute<T>(thing: object, report: Report, { name, reads, compute }: Stage<T>): T {
      const known = findResult(thing, name);
      if (known !== null && isSame(known.reads, reads)) {
        if (known.rows.length > 0) report.merge(known.rows);
        return known.outcome as T;
      }
      const own = createReport(codes);
      const outcome = compute(own);
      storeResult(thing, known, { name, reads, outcome, rows: own.rows, lookups: null });
      report.merge(own.rows);
      return outcome;
    },
    getOrLookUp<T, S extends object>(thing: object, report: Report, stage: LookupStage<T, S>): T {
      const { name, reads, source, compute, reuse } = stage;
      const known = findResult(thing, name);
      if (known !== null && isSame(known.reads, reads) && known.lookups?.hasSameAnswers(source) === true) {
        if (known.rows.length > 0) report.merge(known.rows);
        return known.outcome as T;
      }
      const own = createReport(codes);
      const answers = new RecordedAnswers(source);
      const computed = compute(answers.record(), own);
      const outcome = known === null || reuse === undefined ? computed : reuse(known.outcome as T, computed);
      answers.trimAnswers();
      storeResult(thing, known, { name, reads, outcome, rows: own.rows, lookups: answers });
      report.merge(own.rows);
      return outcome;
    },
    getOrComputeAll<T extends object, R>(things: readonly T[], report: Report, stage: SharedStage<T, R>): R[] {
      const { name, reads, compute } = stage;
      const before = shared.get(name);
      const isKnown = before !== undefined && isSame(before.reads, reads);
      const known = isKnown ? before.known : new WeakMap<object, SharedResult>();
      if (!isKnown) shared.set(name, { reads, known });
      return things.map((thing) => {
        let done = known.get(thing);
        if (done === undefined) {
          const own = createReport(codes);
          done = { outcome: compute(thing, own), rows: trimList(own.rows) };
          known.set(thing, done);
        }
        if (done.rows.length > 0) report.merge(done.rows);
        return done.outcome as R;
      });
    },
  };
  return cache;
}

/** `before`: behind the shared reads, those of each item. Allocates no list, because most blocks are as they were. */
function hasSameReads<T>(
  block: readonly T[],
  readsOf: ((thing: T) => StageInput) | undefined,
  before: readonly StageInput[],
): boolean {
  if (readsOf === undefined) return true;
  for (let i = 0; i < block.length; i++) if (!isSame(before[i + 1], readsOf(block[i] as T))) return false;
  return true;
}

/** A class: a closure in the stage would keep all that its run has read in memory. */
class JoinedLookups implements CachedLookups {
  readonly #parts: readonly (CachedLookups | null)[];
  #last: object;
  constructor(parts: readonly (CachedLookups | null)[], source: object) {
    this.#parts = parts;
    this.#last = source;
  }
  hasSameAnswers(other: object): boolean {
    if (other === this.#last) return true;
    for (const one of this.#parts) if (one?.hasSameAnswers(other) !== true) return false;
    this.#last = other;
    return true;
  }
}

/** Runs on every keystroke, so it allocates no arrays. */
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

/** Lookups outside the `reads` of a stage. Another source with the same answers leads to the same result. */
export interface Lookups<S extends object> {
  /**
   * Records the answer; `read` may use nothing else. Answers are compared as reads are; data by what `print` returns.
   */
  readonly readAnswer: <A extends StageInput>(
    key: string,
    read: (source: S) => A,
    print?: (answer: A) => StageInput,
  ) => A;
}

interface RecordedAnswer {
  readonly answer: StageInput;
  readonly read: (source: never) => StageInput;
  readonly print: ((answer: never) => StageInput) | undefined;
}

/** What a stage has looked up. There is one for each stage of each definition, so it holds no more than it needs. */
class RecordedAnswers<S extends object> implements CachedLookups {
  #answers: RecordedAnswer[] = [];
  /** By key; null when the stage has run. */
  #known: Map<string, StageInput> | null = null;
  /** Only the last source: an earlier one would keep its definitions in memory. */
  #last: S;
  constructor(source: S) {
    this.#last = source;
  }
  record(): Lookups<S> {
    return {
      readAnswer: <A extends StageInput>(key: string, read: (source: S) => A, print?: (answer: A) => StageInput): A => {
        const known = (this.#known ??= new Map());
        if (known.has(key)) return known.get(key) as A;
        const answer = read(this.#last);
        this.#answers.push({ answer, read, print });
        known.set(key, answer);
        return answer;
      },
    };
  }
  trimAnswers(): void {
    this.#answers = this.#answers.slice();
    this.#known = null;
  }
  hasSameAnswers(other: object): boolean {
    if (other === this.#last) return true;
    for (const { answer, read, print } of this.#answers) {
      const found = read(other as never);
      if (isSame(found, answer)) continue;
      if (print === undefined || !isSame(print(found as never), print(answer as never))) return false;
    }
    this.#last = other as S;
    return true;
  }
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
