/** Compares JSON with what a test expects. Objects may have more fields; lists have the same length. */
import { escapePointer, isObject, type Json, type JsonObject } from '../../contract/json.js';
import { pairItems, type Matcher, type MatchTools, type Mismatch } from '../../contract/matcher.js';
import type { ReportedExchange } from '../../contract/tests.js';
import { fillSaved, type Saved } from './saved.js';
import type { ReceivedResponse } from './send.js';

export type Matchers = ReadonlyMap<string, Matcher>;
export type Match = MatchTools['match'];

const LONGEST = 200;

export function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const addKey = (key: string, found: readonly Mismatch[]): Mismatch[] =>
  found.map((one) => ({ ...one, pointer: `/${escapePointer(key)}${one.pointer}` }));

/** `updates`: snapshots that differ are to be written. */
export function createMatch(matchers: Matchers, saved: Saved, updates = false): Match {
  const match: Match = (expected, actual) => {
    if (typeof expected === 'string') return compare(fillSaved(expected, saved), actual);
    if (Array.isArray(expected)) return matchList(expected as readonly Json[], actual);
    if (!isObject(expected)) return compare(expected, actual);
    const named = Object.entries(expected);
    const isMatcher = named.length > 0 && named.every(([key]) => matchers.has(key));
    if (isMatcher)
      return named.flatMap(([key, value]) =>
        addKey(key, matchers.get(key)?.match(value, actual, { match, show, updates }) ?? []),
      );
    if (!isObject(actual)) return [{ pointer: '', message: `expected an object, received ${show(actual)}` }];
    return named.flatMap(([key, value]) =>
      addKey(key, match(value, Object.hasOwn(actual, key) ? actual[key] : undefined)),
    );
  };
  const matchList = (expected: readonly Json[], actual: unknown): readonly Mismatch[] => {
    if (!Array.isArray(actual)) return [{ pointer: '', message: `expected a list, received ${show(actual)}` }];
    if (actual.length !== expected.length) {
      const message = `expected ${expected.length} item(s), received ${actual.length}: ${show(actual)}`;
      return [{ pointer: '', message }];
    }
    return expected.flatMap((item, at) => addKey(String(at), match(item, actual[at])));
  };
  return match;
}

/** `expected` is a value without matchers. */
function compare(expected: unknown, actual: unknown): readonly Mismatch[] {
  if (isSame(expected, actual)) return [];
  return [{ pointer: '', message: `expected ${show(expected)}, received ${show(actual)}` }];
}

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => isSame(item, (b as unknown[])[at]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

/** Pairs each expected row with another row of the table, in any order. */
export function matchRows(
  expected: readonly Json[],
  rows: readonly unknown[],
  match: Match,
  noun = 'row',
): readonly Mismatch[] {
  const { lacking, left } = pairItems(expected, rows, match);
  const absent = lacking.flatMap((at) => {
    // With one row left over, the difference says more.
    if (lacking.length === 1 && left.length === 1) return addKey(String(at), match(expected[at] ?? null, left[0]));
    return [{ pointer: `/${at}`, message: `no such ${noun}; the ${noun}s without an expectation: ${show(left)}` }];
  });
  if (lacking.length > 0 || left.length === 0) return absent;
  return [
    { pointer: '', message: `expected ${expected.length} ${noun}(s), received ${rows.length}, also ${show(left)}` },
  ];
}

export interface SentRequest {
  /** As text. */
  readonly request: string;
  readonly received: ReceivedResponse;
}

export function describeExchange(
  { request, received: { status, body } }: SentRequest,
  wanted: JsonObject,
  { match, matchers }: { readonly match: Match; readonly matchers: Matchers },
): ReportedExchange {
  const { status: wantedStatus = wanted['problem'] === undefined ? 200 : status } = wanted;
  const { code } = isObject(wanted['problem']) ? wanted['problem'] : {};
  const wantedBody = code === undefined ? wanted['body'] : { code };
  const hasStatus = match(wantedStatus, status).length === 0;
  const expected = hasStatus
    ? { status, body: mergeExpected(wantedBody, body) }
    : { status: wantedStatus, body: wantedBody };
  return { request, expected: format(expected), actual: format({ status, body }) };

  /** What the test accepts or does not name is as it was received. */
  function mergeExpected(one: Json | undefined, actual: unknown): unknown {
    if (one === undefined || match(one, actual).length === 0) return actual;
    if (Array.isArray(one))
      return Array.isArray(actual) && actual.length === one.length
        ? one.map((item: Json, at) => mergeExpected(item, actual[at]))
        : one;
    if (!isObject(one) || !isObject(actual) || Object.keys(one).every((key) => matchers.has(key))) return one;
    const merged = Object.entries(one).map(([key, value]) => [key, mergeExpected(value, actual[key])]);
    return { ...actual, ...(Object.fromEntries(merged) as object) };
  }
}

const format = (value: object): string => JSON.stringify(value, null, 2);
