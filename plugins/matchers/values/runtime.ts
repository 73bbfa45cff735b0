/** Runtimes of the matchers. Each compares one actual value with what is written behind its name. */
import { asText, escapePointer, isObject, type Json } from '../../../contract/json.js';
import { pairItems, type Matcher } from '../../../contract/matcher.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { compileLinearPattern, PatternError, type LinearPattern } from '../../../language/strings/linear-pattern.js';
import { matcher } from '../kind.js';
import { updateSnapshot } from './snapshot.js';

const defineMatcher = (match: Matcher['match']) => ({
  default: defineRuntime(matcher, { create: () => ({ match }) }),
});

const isText = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);

const FORMS: Readonly<Record<string, (value: unknown) => boolean>> = {
  value: (value) => value !== undefined && value !== null,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  list: Array.isArray,
  uuid: isText(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i),
  ulid: isText(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
  id: isText(/^\S+$/),
  timestamp: isText(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/),
  date: isText(/^\d{4}-\d\d-\d\d$/),
  email: isText(/^[^@\s]+@[^@\s]+$/),
  url: isText(/^https?:\/\/\S+$/),
};

/** Pointers of the expected objects that have fewer fields than the actual ones. */
function listOthers(expected: Json, actual: unknown, pointer: string): string[] {
  if (Array.isArray(expected) && Array.isArray(actual))
    return (expected as readonly Json[]).flatMap((item, at) => listOthers(item, actual[at], `${pointer}/${at}`));
  if (!isObject(expected) || !isObject(actual) || Object.keys(expected).some((key) => key.startsWith('$'))) return [];
  const own = Object.keys(actual).every((key) => Object.hasOwn(expected, key)) ? [] : [pointer];
  const inner = Object.entries(expected).flatMap(([key, value]) =>
    listOthers(value, actual[key], `${pointer}/${escapePointer(key)}`),
  );
  return [...own, ...inner];
}

const compilePattern = (text: string): LinearPattern | null => {
  try {
    return compileLinearPattern(text);
  } catch (error) {
    if (error instanceof PatternError) return null;
    throw error;
  }
};

export const matchAny = defineMatcher((expected, actual, { show }) => {
  const form = asText(expected);
  if (FORMS[form]?.(actual) === true) return [];
  return [{ pointer: '', message: `expected any ${form}, received ${show(actual)}` }];
});

export const matchBetween = defineMatcher((expected, actual, { show }) => {
  const [low, high] = expected as readonly [number, number];
  const isComparable = typeof actual === typeof low && (typeof actual === 'number' || typeof actual === 'string');
  if (isComparable && low <= (actual as number) && (actual as number) <= high) return [];
  return [{ pointer: '', message: `expected ${show(low)} to ${show(high)}, received ${show(actual)}` }];
});

export const matchContains = defineMatcher((expected, actual, { match, show }) => {
  if (typeof actual === 'string' && typeof expected === 'string' && actual.includes(expected)) return [];
  if (Array.isArray(actual) && actual.some((item) => match(expected, item).length === 0)) return [];
  return [{ pointer: '', message: `expected to contain ${show(expected)}, received ${show(actual)}` }];
});

const compareExactly: Matcher['match'] = (expected, actual, { match, show }) => {
  const others = listOthers(expected, actual, '');
  const message = `expected no other field, received ${show(actual)}`;
  return [...match(expected, actual), ...others.map((pointer) => ({ pointer, message }))];
};

export const matchExactly = defineMatcher(compareExactly);

export const matchLength = defineMatcher((expected, actual, { show }) => {
  const length = typeof actual === 'string' || Array.isArray(actual) ? actual.length : null;
  if (length === expected) return [];
  const found = length === null ? show(actual) : `${length}: ${show(actual)}`;
  return [{ pointer: '', message: `expected a length of ${show(expected)}, received ${found}` }];
});

export const matchNot = defineMatcher((expected, actual, { match, show }) => {
  if (match(expected, actual).length > 0) return [];
  return [{ pointer: '', message: `expected anything but ${show(expected)}, received ${show(actual)}` }];
});

export const matchPattern = defineMatcher((expected, actual, { show }) => {
  const pattern = asText(expected);
  const compiled = compilePattern(pattern);
  if (compiled === null) return [{ pointer: '', message: `${show(pattern)} is not a regular expression` }];
  if (typeof actual === 'string' && compiled.test(actual)) return [];
  return [{ pointer: '', message: `expected a text that matches ${pattern}, received ${show(actual)}` }];
});

/** True before it is written, so that a value that is true needs no update. */
export const matchSnapshot = defineMatcher((expected, actual, tools) => {
  const { show, updates } = tools;
  const found = compareExactly(expected, actual, tools);
  if (found.length === 0 || actual === undefined) return found;
  if (!updates && expected === true)
    return [{ pointer: '', message: `expected a snapshot, which \`lintel test --update\` writes: ${show(actual)}` }];
  if (!updates) return found.map((one) => ({ ...one, message: `${one.message} (\`lintel test --update\` writes it)` }));
  const { update, flaw } = updateSnapshot(expected, actual as Json);
  if (flaw !== null)
    return [{ pointer: '', message: `expected what a test file can have; ${flaw}, so write a matcher in its place` }];
  // Matchers stay, and may still not match.
  const left = compareExactly(update, actual, tools);
  if (JSON.stringify(update) === JSON.stringify(expected)) return left;
  return [{ pointer: '', message: `expected ${show(expected)}, received ${show(actual)}`, update }, ...left];
});

export const matchUnordered = defineMatcher((expected, actual, { match, show }) => {
  const wanted = expected as readonly Json[];
  if (!Array.isArray(actual) || actual.length !== wanted.length)
    return [{ pointer: '', message: `expected ${wanted.length} item(s), received ${show(actual)}` }];
  const describeItem = (at: number): string => `expected an item ${show(wanted[at])}, received ${show(actual)}`;
  return pairItems(wanted, actual, match).lacking.map((at) => ({ pointer: `/${at}`, message: describeItem(at) }));
});
