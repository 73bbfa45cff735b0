/** Detects overload from arrivals and completions. Clients that wait for each response never cause it. */

/** Of the latest duration in the moving average. */
const WEIGHT = 0.05;
/** Maximum multiple of the mean that one duration counts: a pause of the machine predicts nothing. */
const MOST = 4;
/** Milliseconds, and at least WORKS mean durations. */
const WINDOW = 250;
const WORKS = 4;
/** Anything shorter than this many windows is a burst. */
const LASTING = 3;
/** Arrivals above this multiple of completions are overload. */
const FACTOR = 1.25;
/** Allowed wait under overload, in mean durations: longer waits do not raise throughput. */
const SHARE = 1.5;
const SHORTEST = 50;
/** By this factor, estimates must exceed the remaining time. */
const SURE = 1.5;

export class Overload {
  readonly #isDetected: boolean;
  #mean = 0;
  /** All arrivals, and those of clients without a waiter. */
  #all = 0;
  #first = 0;
  #ends = 0;
  #began = 0;
  /** Consecutive windows with overload: by all arrivals, and by clients without a waiter. */
  #tooMuch = 0;
  #tooMany = 0;

  /** `isDetected` false: the allowed wait depends on the remaining time alone. */
  constructor(isDetected: boolean) {
    this.#isDetected = isDetected;
  }

  /** Estimated milliseconds until `ahead` waiters have been served. */
  estimateWait(ahead: number, atOnce: number): number {
    return (ahead * this.#mean) / Math.max(1, atOnce);
  }

  /** Null: the duration is not one that others predict by. */
  recordCompletion(took: number | null): void {
    this.#ends++;
    if (took === null) return;
    if (this.#mean === 0) this.#mean = took;
    else this.#mean += (Math.min(took, MOST * this.#mean) - this.#mean) * WEIGHT;
  }

  /** `first`: its client has no waiter. */
  recordArrival(first: boolean): void {
    this.#all++;
    if (first) this.#first++;
  }

  /** In milliseconds, of the remaining time `left`. If few clients cause the overload, others may use all of it. */
  getAllowedWait(now: number, atOnce: number, first: boolean, left: number): number {
    if (!this.#isDetected) return left * SURE;
    if (now - this.#began > Math.max(WINDOW, WORKS * this.#mean)) this.#turn(now, atOnce);
    const windows = first ? this.#tooMany : this.#tooMuch;
    return windows >= LASTING ? Math.min(left, Math.max(SHORTEST, SHARE * this.#mean)) : left * SURE;
  }

  #turn(now: number, atOnce: number): void {
    const done = this.#ends * FACTOR + atOnce;
    this.#tooMuch = this.#all > done ? this.#tooMuch + 1 : 0;
    this.#tooMany = this.#first > done ? this.#tooMany + 1 : 0;
    this.#began = now;
    this.#all = this.#first = this.#ends = 0;
  }
}
