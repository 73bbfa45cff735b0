/**
 * What a line knows of its load: how long work takes, and whether more comes than can be done. Clients that send the next
 * request when they have the answer to the last one never are too much, however many there are: what comes is what was done.
 */

/** Share of the latest in the mean. */
const WEIGHT = 0.05;
/** Milliseconds over which what comes is compared with what is done; longer where work takes long. */
const WINDOW = 250;
const WORKS = 4;
/** So much more comes than is done. */
const FACTOR = 1.25;
/** With too much, one waits for about as long as work takes: waiting longer helps nobody. */
const SHARE = 1.5;
const SHORTEST = 50;
/** An estimate has to be so much beyond the time that there is: it is one. */
const SURE = 1.5;

export class Overload {
  #mean = 0;
  #arrivals = 0;
  #ends = 0;
  /** When the window began. */
  #began = 0;
  /** Windows in which somebody waited all the time. */
  #standing = 0;
  #isOver = false;

  /** Milliseconds until `ahead` have had their turn. */
  estimate(ahead: number, atOnce: number): number {
    return (ahead * this.#mean) / Math.max(1, atOnce);
  }

  /** Work is over after so many milliseconds. */
  left(took: number): void {
    this.#ends++;
    this.#mean += (took - this.#mean) * (this.#mean === 0 ? 1 : WEIGHT);
  }

  came(): void {
    this.#arrivals++;
  }

  /** Somebody has to wait: gives the milliseconds that it may by estimate, of those that it has. */
  allows(now: number, waiting: number, atOnce: number, left: number): number {
    if (waiting === 0) this.#standing = 0;
    if (now - this.#began > Math.max(WINDOW, WORKS * this.#mean)) this.#turn(now, atOnce);
    return this.#isOver ? Math.min(left, Math.max(SHORTEST, SHARE * this.#mean)) : left * SURE;
  }

  #turn(now: number, atOnce: number): void {
    const tooMuch = this.#arrivals - this.#ends * FACTOR > atOnce;
    this.#standing++;
    // One window of a burst is none.
    this.#isOver = tooMuch && (this.#isOver || this.#standing > 2);
    this.#began = now;
    this.#arrivals = this.#ends = 0;
  }
}
