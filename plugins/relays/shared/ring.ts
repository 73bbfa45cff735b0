/** The last messages, numbered without a gap. Bounded by number, age and bytes. */
import type { Delivery } from '../../../contract/delivery.js';

export interface RingOptions {
  readonly most: number;
  /** Milliseconds. */
  readonly keep: number;
  readonly bytes: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

interface RingEntry {
  readonly number: number;
  readonly at: number;
  readonly size: number;
  readonly message: Delivery;
}

export interface Ring {
  /** A `number` that does not follow the last one clears the buffer. */
  add(number: number, message: Delivery, size: number, at?: number): void;
  /** Messages up to this number are not in the buffer. */
  begin(number: number): void;
  /** -1 before the first message. */
  latest(): number;
  /** Null when some of them are no longer here. */
  listAfter(number: number): readonly Delivery[] | null;
}

/** Bounds the memory of the process. */
export const RING_BYTES = 33_554_432;

export function createRing({ most, keep, bytes, now }: RingOptions): Ring {
  let kept: RingEntry[] = [];
  /** Entries before this index are removed; the array is compacted occasionally. */
  let first = 0;
  let total = 0;
  let latest = -1;

  const dropFirst = (): void => {
    total -= kept[first]?.size ?? 0;
    first++;
    if (first < 1024 || first * 2 < kept.length) return;
    kept = kept.slice(first);
    first = 0;
  };
  const trim = (): void => {
    const oldest = now() - keep;
    while (first < kept.length) {
      const one = kept[first];
      if (one === undefined || (kept.length - first <= most && total <= bytes && one.at >= oldest)) return;
      dropFirst();
    }
  };
  const begin = (number: number): void => {
    [kept, first, total, latest] = [[], 0, 0, number];
  };

  return {
    begin,
    latest: () => latest,
    add(number, message, size, at = now()) {
      if (number !== latest + 1) begin(number - 1);
      latest = number;
      kept.push({ number, at, size, message });
      total += size;
      trim();
    },
    listAfter(number) {
      trim();
      if (number > latest) return null;
      if (number === latest) return [];
      const from = kept[first];
      if (from === undefined || number < from.number - 1) return null;
      return kept.slice(first + (number + 1 - from.number)).map(({ message }) => message);
    },
  };
}
