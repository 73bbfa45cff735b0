/**
 * The cache of an analyser: the outcome of each stage per input object, held weakly. A stage runs again only if a
 * read has changed.
 */
import type { CodeEntry } from '../../contract/problem.js';
import { createReport, type Report, type PendingProblem } from './report.js';

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
  /** What it also reads for one input. */
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
  readonly outcome: unknown;
  readonly rows: readonly PendingProblem[];
}

interface CachedStageResult extends StageResult {
  readonly reads: readonly StageInput[];
  /** Of a stage that looks up. */
  readonly lookups?: CachedLookups;
}

interface CachedLookups {
  readonly hasSameAnswers: (source: object) => boolean;
}

export function createStageCache(codes: Readonly<Record<string, CodeEntry>>): StageCache {
  const kept = new WeakMap<object, Map<string, CachedStageResult>>();
  const shared = new Map<
    string,
    { readonly reads: readonly StageInput[]; readonly known: WeakMap<object, StageResult> }
  >();
  const sharedReads = new Map<string, readonly StageInput[]>();
  const blocksByName = new Map<string, Blocks<object>>();
  const getStages = (thing: object): Map<string, CachedStageResult> => {
    let stages = kept.get(thing);
    if (stages === undefined) kept.set(thing, (stages = new Map<string, CachedStageResult>()));
    return stages;
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
      const listReads = (thing: T): StageInput[] => (readsOf === undefined ? [shared] : [shared, readsOf(thing)]);
      return blocks.flatMap((block) => {
        const own = readsOf === undefined ? NO_READS : block.map(readsOf);
        const known = getStages(block).get(name);
        const isKnown = known?.reads[0] === shared && isSame(known.reads[1], own);
        if (isKnown && known.lookups?.hasSameAnswers(source) === true) {
          if (known.rows.length > 0) report.merge(known.rows);
          return known.outcome as R[];
        }
        const rows = createReport(codes);
        const outcome = block.map((thing) =>
          cache.getOrLookUp(thing, rows, {
            ...{ name, source },
            reads: listReads(thing),
            compute: (lookups: Lookups<S>, each) => compute(thing, lookups, each),
            ...(reuse && { reuse }),
          }),
        );
        const lookups = joinLookups(
          block.map((thing) => getStages(thing).get(name)?.lookups),
          source,
        );
        getStages(block).set(name, { reads: [shared, own], outcome, rows: rows.rows, lookups });
        report.merge(rows.rows);
        return outcome;
      });
    },
    getOrCompute<T>(thing: object, report: Report, { name, reads, compute }: Stage<T>): T {
      const known = getStages(thing).get(name);
      if (known !== undefined && isSame(known.reads, reads)) {
        if (known.rows.length > 0) report.merge(known.rows);
        return known.outcome as T;
      }
      const own = createReport(codes);
      const outcome = compute(own);
      getStages(thing).set(name, { reads, outcome, rows: own.rows });
      report.merge(own.rows);
      return outcome;
    },
    getOrLookUp<T, S extends object>(thing: object, report: Report, stage: LookupStage<T, S>): T {
      const { name, reads, source, compute, reuse } = stage;
      const known = getStages(thing).get(name);
      if (known?.lookups !== undefined && isSame(known.reads, reads) && known.lookups.hasSameAnswers(source)) {
        if (known.rows.length > 0) report.merge(known.rows);
        return known.outcome as T;
      }
      const own = createReport(codes);
      const lookups = createLookups(source);
      const computed = compute(lookups, own);
      const outcome = known === undefined || reuse === undefined ? computed : reuse(known.outcome as T, computed);
      const kept = { hasSameAnswers: (other: object): boolean => lookups.hasSameAnswers(other as S) };
      getStages(thing).set(name, { reads, outcome, rows: own.rows, lookups: kept });
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
  return cache;
}

const NO_READS: readonly StageInput[] = [];

/** Not a closure in the stage, which would keep all that its run has read in memory. */
function joinLookups(parts: readonly (CachedLookups | undefined)[], source: object): CachedLookups {
  let last = source;
  return {
    hasSameAnswers(other) {
      if (other === last) return true;
      if (!parts.every((one) => one?.hasSameAnswers(other))) return false;
      last = other;
      return true;
    },
  };
}

export type Blocks<T> = readonly (readonly T[])[];

/** A changed item costs little, an unchanged block saves much. */
const BLOCK = 16;

/** Finds earlier blocks wherever they are; items between them make new ones. */
function splitIntoBlocks<T>(list: readonly T[], before: Blocks<T>): Blocks<T> {
  const byFirst = new Map(before.map((block) => [block[0], block]));
  const blocks: (readonly T[])[] = [];
  let open: T[] = [];
  const close = (): void => {
    if (open.length > 0) blocks.push(open);
    open = [];
  };
  for (let i = 0; i < list.length;) {
    const item = list[i] as T;
    const known = byFirst.get(item);
    if (known?.every((one, n) => one === list[i + n]) === true) {
      close();
      blocks.push(known);
      i += known.length;
    } else {
      open.push(item);
      if (open.length === BLOCK) close();
      i++;
    }
  }
  close();
  return blocks;
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
  readonly hasSameAnswers: (source: S) => boolean;
}

interface Lookup<S> {
  readonly answer: StageInput;
  readonly isSameFrom: (source: S) => boolean;
}

function createLookups<S extends object>(source: S): Lookups<S> {
  const asked = new Map<string, Lookup<S>>();
  // An earlier source would keep its definitions in memory.
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
