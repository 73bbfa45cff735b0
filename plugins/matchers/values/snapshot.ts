/** What `lintel test --update` writes behind `$snapshot`: what was received, except for matchers. */
import { isObject, type Json } from '../../../contract/json.js';
import { listAccessors } from '../../../language/strings/accessor.js';

export interface SnapshotValue {
  readonly update: Json;
  /** Why the test file cannot contain it; null: it can. */
  readonly flaw: string | null;
}

/** Files have a limit, and the snapshot is not at their top. */
const MAX_DEPTH = 40;

export function updateSnapshot(expected: Json, actual: Json): SnapshotValue {
  const flaws: string[] = [];
  const update = mergeValues(expected, actual, (value) => {
    const flaw = findFlaw(value, 0);
    if (flaw !== null) flaws.push(flaw);
    return value;
  });
  return { update, flaw: flaws[0] ?? null };
}

const isMatcher = (json: Json): boolean =>
  isObject(json) && Object.keys(json).length > 0 && Object.keys(json).every((key) => key.startsWith('$'));

const isRead = (json: Json): boolean => typeof json === 'string' && listAccessors(json).length > 0;

/** `take`: receives each value that was not written before. */
function mergeValues(expected: Json, actual: Json, take: (value: Json) => Json): Json {
  if (isMatcher(expected) || isRead(expected)) return expected;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const written = expected as readonly Json[];
    return (actual as readonly Json[]).map((item, at) => {
      const before = written[at];
      return before === undefined ? take(item) : mergeValues(before, item, take);
    });
  }
  if (!isObject(expected) || !isObject(actual)) return expected === actual ? expected : take(actual);
  const merged = Object.entries(actual).map(([key, value]): [string, Json] => {
    const before = Object.hasOwn(expected, key) ? expected[key] : undefined;
    return [key, before === undefined ? take(value) : mergeValues(before, value, take)];
  });
  const whole = Object.fromEntries(merged);
  // Members that were received, in an object that tests would read as a matcher.
  return isMatcher(whole) ? take(whole) : whole;
}

/** What a test file would read as something else. */
function findFlaw(json: Json, depth: number): string | null {
  if (depth > MAX_DEPTH) return `it has more than ${MAX_DEPTH} levels`;
  if (isRead(json)) return `a test reads ${JSON.stringify(json)} as an accessor`;
  if (isMatcher(json)) return `a test reads ${Object.keys(json as object).join(', ')} as a matcher`;
  const inner = Array.isArray(json) ? (json as readonly Json[]) : isObject(json) ? Object.values(json) : [];
  for (const one of inner) {
    const flaw = findFlaw(one, depth + 1);
    if (flaw !== null) return flaw;
  }
  return null;
}
