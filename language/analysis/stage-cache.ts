/**
 * The cache of an analyser: the outcome of each stage per input object, held weakly. A stage runs again only if a
 * read has changed.
 */
import type { CodeEntry } from '../../contract/problem.js';
import { splitIntoBlocks, type Blocks } from './blocks.js';
import { trimList } from '../source/trim-list.js';
import {
  type AnswerChanges,
  AnswerRecorder,
  isSame,
  JoinedLookups,
  MOST_SHARED,
  numberSource,
  type CachedLookups,
  type Lookups,
  type SharedAnswer,
  type StageInput,
} from './lookups.js';
import { createReport, type Report, type PendingProblem } from './report.js';
import type { Steps } from './steps.js';

export type { Blocks } from './blocks.js';
export type { Lookups, StageInput } from './lookups.js';

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
  readonly reuse?: ((earlier: T, outcome: T) => T) | undefined;
}

/** A look-up stage that runs on many inputs. */
export interface SharedLookupStage<T extends object, R, S extends object> {
  readonly name: string;
  /** Everything that the work reads for every input, except the source. */
  readonly reads: readonly StageInput[];
  /** `at`: the place of its block. */
  readonly readsOf?: (thing: T, at: number) => StageInput;
  /** By the place of a block. While it is the same, the reads of its inputs are not compared. */
  readonly readsOfBlock?: (at: number) => StageInput;
  readonly source: S;
  readonly compute: (thing: T, lookups: Lookups<S>, report: Report, at: number) => R;
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
  readonly changes: AnswerChanges;
  /** Other things keep outcomes of earlier inputs. Null: all are current. */
  setWanted(isWanted: ((thing: object) => boolean) | null): void;
  /** Cached or new; its problems go to `report` in both cases. */
  getOrCompute<T>(thing: object, report: Report, stage: Stage<T>): T;
  getOrLookUp<T, S extends object>(thing: object, report: Report, stage: LookupStage<T, S>): T;
  /** The list of a block stays the same object while its outcomes do. */
  getOrLookUpAll<T extends object, R, S extends object>(
    blocks: Blocks<T>,
    report: Report,
    stage: SharedLookupStage<T, R, S>,
  ): Steps<Blocks<R>>;
  /** A block stays the same object while its items do, so that what reads it can be memoized. */
  splitIntoBlocks<T extends object>(name: string, list: readonly T[]): Blocks<T>;
  /** The same for other blocks: returns the earlier list at a place if its items are the same. */
  reuseBlocks<T>(name: string, blocks: Blocks<T>): Blocks<T>;
  /** What a stage of blocks has found last for one of its inputs. */
  findOutcome(name: string, thing: object): unknown;
  /** Returns the results in order; the shared reads are compared once. */
  getOrComputeAll<T extends object, R>(things: readonly T[], report: Report, stage: SharedStage<T, R>): Steps<R[]>;
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

export function createStageCache(codes: Readonly<Record<string, CodeEntry>>): StageCache {
  const kept = new WeakMap<object, CachedStageResult>();
  let isWanted: ((thing: object) => boolean) | null = null;
  let wantedBlocks = new Map<readonly object[], boolean>();
  const isBlockWanted = (block: readonly object[]): boolean => {
    if (isWanted === null) return true;
    const known = wantedBlocks.get(block) ?? block.some(isWanted);
    wantedBlocks.set(block, known);
    return known;
  };
  let computed = 0;
  /** By stage: through chains of results, a letter takes twice the time. */
  const shared = new Map<
    string,
    { readonly reads: readonly StageInput[]; readonly known: WeakMap<object, SharedResult> }
  >();
  const sharedReads = new Map<string, readonly StageInput[]>();
  const blocksByName = new Map<string, Blocks<unknown>>();
  /** Of the last run of a stage, because most blocks are where they were. */
  const resultsByStage = new Map<
    string,
    { readonly blocks: Blocks<unknown>; readonly results: readonly CachedStageResult[] }
  >();
  const answersByStage = new Map<string, Map<string, SharedAnswer>>();
  const getAnswers = (stage: string): Map<string, SharedAnswer> => {
    const known = answersByStage.get(stage);
    if (known !== undefined && known.size < MOST_SHARED) return known;
    const made = new Map<string, SharedAnswer>();
    answersByStage.set(stage, made);
    return made;
  };
  const findResult = (thing: object, name: string): CachedStageResult | null => {
    let one = kept.get(thing) ?? null;
    while (one !== null && one.name !== name) one = one.next;
    return one;
  };
  /** `known`: what was found for the same object and stage. */
  const storeResult = (thing: object, known: CachedStageResult | null, result: StageResult): CachedStageResult => {
    const stored = { ...result, rows: trimList(result.rows) };
    known?.lookups?.release?.();
    if (known !== null) return Object.assign(known, stored);
    const made = { ...stored, next: kept.get(thing) ?? null };
    kept.set(thing, made);
    return made;
  };
  const runStage = (
    thing: object,
    report: Report,
    { name, reads, source }: Pick<StageResult, 'name' | 'reads'> & { readonly source?: object },
    compute: (own: Report, known: CachedStageResult | null, number: number) => Pick<StageResult, 'outcome' | 'lookups'>,
  ): unknown => {
    const known = findResult(thing, name);
    const number = source ? numberSource(source) : 0;
    if (known && isSame(known.reads, reads) && (!source || known.lookups?.hasSameAnswers(source, number))) {
      if (known.rows.length > 0) report.merge(known.rows);
      return known.outcome;
    }
    computed++;
    const own = createReport(codes);
    const found = compute(own, known, number);
    storeResult(thing, known, { name, reads, rows: own.rows, ...found });
    report.merge(own.rows);
    return found.outcome;
  };
  const changes: AnswerChanges = { most: 0 };
  const cache: StageCache = {
    changes,
    setWanted(next) {
      isWanted = next;
      wantedBlocks = new Map();
    },
    splitIntoBlocks<T extends object>(name: string, list: readonly T[]): Blocks<T> {
      const blocks = splitIntoBlocks(list, (blocksByName.get(name) ?? []) as Blocks<T>);
      blocksByName.set(name, blocks);
      return blocks;
    },
    findOutcome: (name, thing) => findResult(thing, name)?.outcome,
    reuseBlocks<T>(name: string, blocks: Blocks<T>): Blocks<T> {
      const before = (blocksByName.get(name) ?? []) as Blocks<T>;
      const kept = blocks.map((block, i) => reuseList(before[i], block));
      blocksByName.set(name, kept);
      return kept;
    },
    *getOrLookUpAll<T extends object, R, S extends object>(
      blocks: Blocks<T>,
      report: Report,
      { name, reads, readsOf, readsOfBlock, source, compute, reuse }: SharedLookupStage<T, R, S>,
    ): Steps<Blocks<R>> {
      const number = numberSource(source);
      const before = sharedReads.get(name);
      // Compared once, not for each block.
      const shared = before !== undefined && isSame(before, reads) ? before : reads;
      sharedReads.set(name, shared);
      // One list for all, where each reads the same.
      const alone = [shared];
      const listReads = (thing: T, at: number): StageInput[] =>
        readsOf === undefined ? alone : [shared, readsOf(thing, at)];
      const found: (readonly R[])[] = [];
      const last = resultsByStage.get(name);
      const results: CachedStageResult[] = [];
      const addKnown = (known: CachedStageResult): void => {
        if (known.rows.length > 0) report.merge(known.rows);
        results.push(known);
        found.push(known.outcome as readonly R[]);
      };
      for (const [at, block] of blocks.entries()) {
        const known = last?.blocks[at] === block ? (last.results[at] ?? null) : findResult(block, name);
        if (known !== null && !isBlockWanted(block)) {
          addKnown(known);
          continue;
        }
        const whole = readsOfBlock?.(at);
        const isWhole = readsOfBlock !== undefined && isSame(known?.reads[1], whole);
        const isKnown = known?.reads[0] === shared && (isWhole || hasSameReads(block, at, readsOf, known.reads));
        const isCurrent = isKnown && known.lookups?.hasSameAnswers(source, number) === true;
        // Earlier objects of equal reads would stay in memory.
        if (isCurrent && readsOfBlock !== undefined && !isWhole)
          Object.assign(known, { reads: [shared, whole, ...known.reads.slice(2)] });
        if (known !== null && isCurrent) {
          addKnown(known);
          continue;
        }
        // If this is never finished, outcomes of its inputs are not those of the block.
        if (known !== null) Object.assign(known, { reads: [] });
        const rows = createReport(codes);
        const outcomes: R[] = [];
        for (const thing of block) {
          const before = computed;
          const outcome = cache.getOrLookUp(thing, rows, {
            name,
            source,
            reads: listReads(thing, at),
            compute: (lookups: Lookups<S>, each) => compute(thing, lookups, each, at),
            reuse,
          });
          outcomes.push(outcome);
          if (computed > before) yield 1;
        }
        const outcome = reuseList(known?.outcome as readonly R[] | undefined, outcomes);
        const lookups = new JoinedLookups(
          block.map((thing) => findResult(thing, name)?.lookups ?? null),
          number,
        );
        const own = readsOf === undefined ? [] : block.map((thing) => readsOf(thing, at));
        addKnown(
          storeResult(block, known, { name, reads: [shared, whole, ...own], outcome, rows: rows.rows, lookups }),
        );
      }
      resultsByStage.set(name, { blocks, results });
      return found;
    },
    getOrCompute: <T>(thing: object, report: Report, stage: Stage<T>): T =>
      runStage(thing, report, stage, (own) => ({ outcome: stage.compute(own), lookups: null })) as T,
    getOrLookUp: <T, S extends object>(thing: object, report: Report, stage: LookupStage<T, S>): T =>
      runStage(thing, report, stage, (own, known, number) => {
        const recorder = new AnswerRecorder(stage.source, number, getAnswers(stage.name), changes);
        const computed = stage.compute(recorder, own);
        const lookups = recorder.endRecording();
        return { outcome: known && stage.reuse ? stage.reuse(known.outcome as T, computed) : computed, lookups };
      }) as T,
    *getOrComputeAll<T extends object, R>(things: readonly T[], report: Report, stage: SharedStage<T, R>): Steps<R[]> {
      const { name, reads, compute } = stage;
      const before = shared.get(name);
      const isKnown = before !== undefined && isSame(before.reads, reads);
      const known = isKnown ? before.known : new WeakMap<object, SharedResult>();
      if (!isKnown) shared.set(name, { reads, known });
      const outcomes: R[] = [];
      for (const thing of things) {
        let done = known.get(thing);
        const isNew = done === undefined;
        if (done === undefined) {
          const own = createReport(codes);
          done = { outcome: compute(thing, own), rows: trimList(own.rows) };
          known.set(thing, done);
        }
        if (done.rows.length > 0) report.merge(done.rows);
        outcomes.push(done.outcome as R);
        if (isNew) yield 1;
      }
      return outcomes;
    },
  };
  return cache;
}

const reuseList = <T>(before: readonly T[] | undefined, list: readonly T[]): readonly T[] =>
  before?.length === list.length && before.every((one, i) => one === list[i]) ? before : list;

/** `before`: the shared reads, those of the block, then those of each item. Allocates no list. */
function hasSameReads<T>(
  block: readonly T[],
  at: number,
  readsOf: ((thing: T, at: number) => StageInput) | undefined,
  before: readonly StageInput[],
): boolean {
  if (readsOf === undefined) return true;
  for (let i = 0; i < block.length; i++) if (!isSame(before[i + 2], readsOf(block[i] as T, at))) return false;
  return true;
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
