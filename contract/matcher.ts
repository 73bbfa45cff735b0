/** Matchers of tests, such as `{"$any": "uuid"}`. */
import type { Json } from './json.js';

export interface Mismatch {
  /** JSON pointer into what is expected. */
  readonly pointer: string;
  /** `expected a uuid, received 5` */
  readonly message: string;
  /** What `lintel test --update` writes at the pointer, so that it matches. */
  readonly update?: Json;
}

export interface MatchTools {
  /** As the test compares: objects may have more fields. */
  readonly match: (expected: Json, actual: unknown) => readonly Mismatch[];
  /** A value as text for messages, shortened. */
  readonly show: (value: unknown) => string;
  /** In `lintel test --update`, a mismatch may have an `update`. */
  readonly updates: boolean;
}

export interface Matcher {
  /** `expected` follows the name of the matcher. Empty: it matches. `actual` is undefined where nothing is. */
  match(expected: Json, actual: unknown, tools: MatchTools): readonly Mismatch[];
}

export interface Pairing {
  /** Indices of expected items without a partner. */
  readonly lacking: readonly number[];
  /** Actual items without a partner. */
  readonly left: readonly unknown[];
}

/** In any order. An item that finds none may move an earlier one to another. */
export function pairItems(expected: readonly Json[], actual: readonly unknown[], match: MatchTools['match']): Pairing {
  const fits = expected.map((item) => actual.map((one) => match(item, one).length === 0));
  const holders = new Map<number, number>();
  const placeItem = (item: number, seen: Set<number>): boolean =>
    actual.some((_, at) => {
      if (fits[item]?.[at] !== true || seen.has(at)) return false;
      seen.add(at);
      const holder = holders.get(at);
      if (holder !== undefined && !placeItem(holder, seen)) return false;
      holders.set(at, item);
      return true;
    });
  const lacking = expected.flatMap((_, at) => (placeItem(at, new Set()) ? [] : [at]));
  return { lacking, left: actual.filter((_, at) => !holders.has(at)) };
}
