/**
 * What a line knows of its load: how long work takes, and whether more comes than can be done. Clients that send the next
 * request when they have the answer to the last one never are too much, however many there are: what comes is what was done.
 */

/** Share of the latest in the mean. */
const WEIGHT = 0.05;
/** One that took longer counts as so many times the mean: a machine that stood still for a moment says little of the next. */
const MOST = 4;
/** Milliseconds over which what comes is compared with what is done; longer where work takes long. */
const WINDOW = 250;
const WORKS = 4;
/** A burst is over after fewer windows. */
const LASTING = 3;
/** So much more comes than is done. */
const FACTOR = 1.25;
/** With too much, one waits for about as long as work takes: waiting longer helps nobody. */
const SHARE = 1.5;
const SHORTEST = 50;
/** An estimate has to be so much beyond the time that there is: it is one. */
const SURE = 1.5;

export class Overload {
  #mean = 0;
  /** All that came, and those whose client had nobody waiting. */
  #all = 0;
  #first = 0;
  #ends = 0;
  /** When the window began. */
  #began = 0;
  /** So many windows in a row more came than could be done: in all, and by clients that had nobody waiting. */
  #tooMuch = 0;
  #tooMany = 0;

  /** Milliseconds until `ahead` have had their turn. */
  estimate(ahead: number, atOnce: number): number {
    return (ahead * this.#mean) / Math.max(1, atOnce);
  }

  /** Work is over after so many milliseconds. */
  left(took: number): void {
    this.#ends++;
    if (this.#mean === 0) this.#mean = took;
    else this.#mean += (Math.min(took, MOST * this.#mean) - this.#mean) * WEIGHT;
  }

  /** `first`: its client has nobody waiting. */
  came(first: boolean): void {
    this.#all++;
    if (first) this.#first++;
  }

  /**
   * Somebody has to wait: gives the milliseconds that it may by estimate, of those that it has. Where a few clients send too much,
   * whoever else comes has all of its time.
   */
  allows(now: number, atOnce: number, first: boolean, left: number): number {
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
