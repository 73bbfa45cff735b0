/** What a stage looks up in a source: recorded, and compared with the answers of another source. */
import { memoize } from './memoize.js';

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

export interface CachedLookups {
  readonly hasSameAnswers: (source: object, sourceNumber: number) => boolean;
  /** Its stage has run again. */
  readonly release?: () => void;
}

/** A source is compared by its number, because holding it would keep its definitions in memory. */
let lastNumber = 0;
export const numberSource = memoize((_source: object): number => ++lastNumber);

/** A class: a closure in the stage would keep all that its run has read in memory. */
export class JoinedLookups implements CachedLookups {
  readonly #parts: readonly (CachedLookups | null)[];
  #last: number;
  constructor(parts: readonly (CachedLookups | null)[], sourceNumber: number) {
    this.#parts = parts;
    this.#last = sourceNumber;
  }
  hasSameAnswers(source: object, sourceNumber: number): boolean {
    if (sourceNumber === this.#last) return true;
    for (const one of this.#parts) if (one?.hasSameAnswers(source, sourceNumber) !== true) return false;
    this.#last = sourceNumber;
    return true;
  }
}

/**
 * Runs on every keystroke, so it allocates no arrays. V8 would inline two functions that call each other many times over, which
 * takes 160 ms.
 */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!Array.isArray(a)) return isSameCollection(a, b);
  if (!Array.isArray(b) || a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!isSame(a[i], b[i])) return false;
  return true;
}

function isSameCollection(a: unknown, b: unknown): boolean {
  if (a instanceof Map) return b instanceof Map && a.size === b.size && isSameOrder(a.entries(), b.entries());
  return a instanceof Set && b instanceof Set && a.size === b.size && isSameOrder(a.values(), b.values());
}

function isSameOrder(a: Iterable<unknown>, b: Iterator<unknown>): boolean {
  for (const one of a) if (!isSame(one, b.next().value)) return false;
  return true;
}

/** Lookups outside the `reads` of a stage. Equal values lead to the same result. */
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

/** Enough for the names of a large project; what is typed adds names that are gone again. */
export const MOST_SHARED = 20_000;

/** Not a function, which would hold the cache. */
export interface AnswerChanges {
  /** The most stages that have read one answer which has changed. */
  most: number;
}

/** The value of one key. Many definitions read the same, so it is held and compared once for each source. */
export class SharedAnswer {
  readers = 0;
  readonly #answer: StageInput;
  readonly #read: (source: never) => StageInput;
  readonly #print: ((answer: never) => StageInput) | undefined;
  readonly #changes: AnswerChanges;
  #last: number;
  #isSame = true;
  constructor(
    answer: StageInput,
    read: (source: never) => StageInput,
    print: ((answer: never) => StageInput) | undefined,
    changes: AnswerChanges,
    sourceNumber: number,
  ) {
    this.#answer = answer;
    this.#read = read;
    this.#print = print;
    this.#changes = changes;
    this.#last = sourceNumber;
  }
  isEqual(answer: StageInput): boolean {
    return isSame(this.#answer, answer);
  }
  hasSameAnswer(source: object, sourceNumber: number): boolean {
    if (sourceNumber !== this.#last) {
      this.#isSame = this.#compare(this.#read(source as never));
      this.#last = sourceNumber;
      if (!this.#isSame) this.#changes.most = Math.max(this.#changes.most, this.readers);
    }
    return this.#isSame;
  }
  #compare(found: StageInput): boolean {
    if (isSame(found, this.#answer)) return true;
    const print = this.#print;
    return print !== undefined && isSame(print(found as never), print(this.#answer as never));
  }
}

/** What a stage has looked up. One exists for each stage of each definition, so it is small. */
class RecordedAnswers implements CachedLookups {
  readonly #answers: readonly SharedAnswer[];
  #last: number;
  constructor(answers: readonly SharedAnswer[], sourceNumber: number) {
    this.#answers = answers;
    this.#last = sourceNumber;
    for (const one of answers) one.readers++;
  }
  hasSameAnswers(source: object, sourceNumber: number): boolean {
    if (sourceNumber === this.#last) return true;
    for (const one of this.#answers) if (!one.hasSameAnswer(source, sourceNumber)) return false;
    this.#last = sourceNumber;
    return true;
  }
  release(): void {
    for (const one of this.#answers) one.readers--;
  }
}

interface Recording<S> {
  readonly source: S;
  /** By key, what other definitions have looked up in this stage. */
  readonly shared: Map<string, SharedAnswer>;
  readonly changes: AnswerChanges;
  readonly answers: SharedAnswer[];
  given: Map<string, StageInput> | null;
}

const NO_ANSWERS: readonly SharedAnswer[] = Object.freeze([]);

/** The lookups of a stage while it runs. */
export class AnswerRecorder<S extends object> implements Lookups<S> {
  readonly #number: number;
  /** Null when the stage has run; the functions that read answers hold this object. */
  #recording: Recording<S> | null;
  constructor(source: S, sourceNumber: number, shared: Map<string, SharedAnswer>, changes: AnswerChanges) {
    this.#number = sourceNumber;
    this.#recording = { source, shared, changes, answers: [], given: null };
  }
  /** Fails when the stage has run. */
  readonly readAnswer = <A extends StageInput>(
    key: string,
    read: (source: S) => A,
    print?: (answer: A) => StageInput,
  ): A => {
    if (this.#recording === null) throw new Error(`the stage has run, and reads ${key}`);
    const { source, shared, changes, answers } = this.#recording;
    const given = (this.#recording.given ??= new Map());
    if (given.has(key)) return given.get(key) as A;
    const answer = read(source);
    given.set(key, answer);
    const known = shared.get(key);
    const held = known?.isEqual(answer) === true ? known : new SharedAnswer(answer, read, print, changes, this.#number);
    if (held !== known) shared.set(key, held);
    answers.push(held);
    return answer;
  };
  endRecording(): CachedLookups {
    const answers = this.#recording?.answers ?? NO_ANSWERS;
    this.#recording = null;
    return new RecordedAnswers(answers.length === 0 ? NO_ANSWERS : answers.slice(), this.#number);
  }
}
