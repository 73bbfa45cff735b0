/**
 * Bounds query results: rows and bytes per statement, and bytes of all large results. Readers count while they read.
 */
import { getHeapStatistics } from 'node:v8';
import type { Requester } from '../../contract/requester.js';
import { createFault, type Fault } from '../../contract/fault.js';

export interface ResultLimits {
  readonly rows: number;
  readonly bytes: number;
  /** Bytes at which a result is first checked. */
  readonly checkFrom: number;
}

const toNumber = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

/** Smaller results do not count towards the limit of the process. */
const LARGE = 1_048_576;

/** The defaults are those of `dialects/shared/connection-fields.light.ts`. */
export const readLimits = (options: Readonly<Record<string, unknown>>): ResultLimits => {
  const bytes = toNumber(options['result_bytes'], 67_108_864);
  return { rows: toNumber(options['result_rows'], 500_000), bytes, checkFrom: Math.min(bytes, LARGE) };
};
/** Values need several times the memory of their bytes on the wire. */
const SHARE = 8;

const most = Math.floor(getHeapStatistics().heap_size_limit / SHARE);
let held = 0;

const createTooLargeFault = (max: number, what: string): Fault => createFault('QRY_RESULT', { max, what });

/** For the fixed internal statements. */
export const UNBOUNDED: ResultLimits = { rows: Infinity, bytes: Infinity, checkFrom: LARGE };

/** Created once a result is large. */
export class LargeResult {
  /** Bytes at which the next check is due. */
  next: number;
  /** Bytes counted towards the limit of the process. */
  #held = 0;

  constructor(
    private readonly limits: ResultLimits,
    private readonly requester: Requester | null,
  ) {
    this.next = limits.checkFrom;
  }

  /** Null: within the limits. */
  checkSize(rows: number, bytes: number): Fault | null {
    const { limits } = this;
    const refusal = checkResultSize(rows, bytes, limits);
    if (refusal !== null) return refusal;
    while (this.next < bytes) {
      const more = this.next - this.#held;
      if (held + more > most)
        return createFault('QRY_CROWDED', {}, { retryable: this.next < most, headers: { 'retry-after': '1' } });
      if (this.#held === 0) this.requester?.invocation.onFinish(() => this.dispose());
      held += more;
      this.#held += more;
      this.next = Math.min(this.next + LARGE, limits.bytes);
      if (this.next === limits.bytes) break;
    }
    return null;
  }

  dispose(): void {
    held -= this.#held;
    this.#held = 0;
  }

  /** Without a request that would release it, the result stops counting. */
  close(): void {
    if (this.requester === null) this.dispose();
  }
}

/** For a result already in memory. */
export function checkResultSize(rows: number, bytes: number, limits: ResultLimits): Fault | null {
  if (rows > limits.rows) return createTooLargeFault(limits.rows, 'rows');
  return bytes > limits.bytes ? createTooLargeFault(limits.bytes, 'bytes') : null;
}

export const getHeldBytes = (): number => held;
