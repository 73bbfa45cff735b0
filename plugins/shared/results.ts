/**
 * Bounds what a database answers: rows and bytes of one statement, and bytes of all large results that a process holds at the same
 * time, as long as their requests last. Who reads counts while it reads, so that nothing beyond a bound is ever held.
 */
import { getHeapStatistics } from 'node:v8';
import type { Asker } from '../../kernel/contract/asker.js';
import { fault, type Fault } from '../../kernel/contract/fault.js';

export interface ResultLimits {
  readonly rows: number;
  readonly bytes: number;
  /** At how many bytes a result is judged for the first time. */
  readonly look: number;
}

const number = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

/** Results below it are not counted among the large ones. */
const LARGE = 1_048_576;

/** From the options of a connection; the defaults are those of `kinds/connection-fields.ts`. */
export const readLimits = (options: Readonly<Record<string, unknown>>): ResultLimits => {
  const bytes = number(options['result_bytes'], 67_108_864);
  return { rows: number(options['result_rows'], 500_000), bytes, look: Math.min(bytes, LARGE) };
};
/** Values take several times the memory of what comes over the wire. */
const SHARE = 8;

const most = Math.floor(getHeapStatistics().heap_size_limit / SHARE);
let held = 0;

const tooLarge = (max: number, what: string): Fault => fault('QRY_RESULT', { max, what });

/** What a statement without bounds of its own may answer: fixed statements of ours. */
export const UNBOUNDED: ResultLimits = { rows: Infinity, bytes: Infinity, look: LARGE };

/** Of the result of one statement while it is read: made once it is large. */
export class LargeResult {
  /** So many bytes may be read until it is to be judged again. */
  next: number;
  /** Of it, counted among the large ones. */
  #held = 0;

  constructor(
    private readonly limits: ResultLimits,
    private readonly asker: Asker | null,
  ) {
    this.next = limits.look;
  }

  /** Null: it may be held. */
  judge(rows: number, bytes: number): Fault | null {
    const { limits } = this;
    const refusal = judgeWhole(rows, bytes, limits);
    if (refusal !== null) return refusal;
    while (this.next < bytes) {
      const more = this.next - this.#held;
      if (held + more > most)
        return fault('QRY_CROWDED', {}, { retryable: this.next < most, headers: { 'retry-after': '1' } });
      if (this.#held === 0) this.asker?.invocation.release(() => this.forget());
      held += more;
      this.#held += more;
      this.next = Math.min(this.next + LARGE, limits.bytes);
      if (this.next === limits.bytes) break;
    }
    return null;
  }

  /** It is held no more. */
  forget(): void {
    held -= this.#held;
    this.#held = 0;
  }

  /** Read to its end; one that nobody will release is not held from here on. */
  end(): void {
    if (this.asker === null) this.forget();
  }
}

/** Of one that is there already, in the process. */
export function judgeWhole(rows: number, bytes: number, limits: ResultLimits): Fault | null {
  if (rows > limits.rows) return tooLarge(limits.rows, 'rows');
  return bytes > limits.bytes ? tooLarge(limits.bytes, 'bytes') : null;
}

/** Bytes of large results that are held now. */
export const heldResults = (): number => held;
