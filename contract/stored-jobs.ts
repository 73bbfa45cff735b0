/** Other programs can write stored jobs and notes. */
import type { DeferredJob, Note } from './deferred.js';
import { isObject, POISON_KEYS } from './json.js';

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;
/** The id is sent in headers of outbound calls. */
const MAX_ID = 1024;
/** The maximum of `Date`. */
const LAST_INSTANT = 8.64e15;

export function isDeferredJob(read: unknown): read is DeferredJob {
  if (!isObject(read)) return false;
  const { id, resource, part, version, needs, acceptedAt, state, row } = read as Readonly<Record<string, unknown>>;
  return (
    [id, resource, part, version].every((text) => typeof text === 'string') &&
    // Versions before 0.6 stored a hash.
    (typeof needs === 'string' || isTexts(needs)) &&
    (id as string).length <= MAX_ID &&
    !CONTROL.test(id as string) &&
    typeof acceptedAt === 'number' &&
    Math.abs(acceptedAt) <= LAST_INSTANT &&
    (row === undefined || Number.isSafeInteger(row)) &&
    isObject(state) &&
    isState(state)
  );
}

const isTexts = (read: unknown): read is string[] =>
  Array.isArray(read) && read.every((text) => typeof text === 'string');

export function isNote(read: unknown): read is Note {
  if (!isObject(read)) return false;
  const { actions, at, took, carries, state } = read as Readonly<Record<string, unknown>>;
  const isGiven = (given: unknown): boolean =>
    isObject(given) && isObject(given['names']) && isObject(given['results']);
  return (
    isTexts(actions) &&
    actions.length > 0 &&
    isTexts(carries) &&
    [at, took].every(Number.isFinite) &&
    (state === undefined || isGiven(state))
  );
}

function isState(state: Readonly<Record<string, unknown>>): boolean {
  const { payload, claims, headers, remote, names, results, made } = state;
  return (
    (isObject(payload) || Array.isArray(payload)) &&
    (claims === null || isObject(claims)) &&
    isObject(headers) &&
    Object.values(headers).every((text) => typeof text === 'string') &&
    typeof remote === 'string' &&
    isObject(names) &&
    isObject(results) &&
    Array.isArray(made) &&
    made.every(isMade) &&
    !hasPoison([payload, claims, headers])
  );
}

const isMade = (one: unknown): boolean =>
  Array.isArray(one) &&
  one.length === 2 &&
  (typeof one[0] === 'string' || Number.isSafeInteger(one[0])) &&
  (typeof one[1] === 'string' || typeof one[1] === 'number');

/** Iterative, because deep values could overflow the stack. */
function hasPoison(values: readonly unknown[]): boolean {
  const stack = [...values];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (!Array.isArray(value) && POISON_KEYS.has(key)) return true;
      if (typeof inner === 'object') stack.push(inner);
    }
  }
  return false;
}
