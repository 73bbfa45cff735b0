/** The inputs of actionables by kind and name, to compare deferred work with newer definitions. */
import type { DeferredState } from '../../../contract/deferred.js';
import { getOwn, type Json } from '../../../contract/json.js';
import type { PartMember, PartSource } from '../../../contract/part.js';
import type { Frame, Reader } from '../../../contract/plan.js';
import { createClaimReader } from '../../../language/strings/claim-reader.js';
import { compilePath, writePath } from '../../../language/strings/path.js';

export interface PickedResult {
  readonly key: string;
  readonly pick: (result: unknown) => unknown;
}

export interface Reads {
  /** Null: the whole payload. */
  readonly fields: ReadonlySet<string | null>;
  readonly claims: ReadonlySet<string>;
  readonly headers: ReadonlySet<string>;
  /** The client address. */
  readonly remote: boolean;
  /** Readers that throw when the request lacks an input. */
  readonly forced: readonly Reader[];
  readonly names: readonly (readonly [name: string, slot: number])[];
  readonly results: readonly PickedResult[];
  /** Sorted labels: `payload:email`, `result:orders#1:id`; `*` is everything. */
  readonly labels: readonly string[];
}

const ALL = '*';

/** `comes`: whether the result of that actionable is an input from outside. */
export function collectReads(source: PartSource, actions: readonly string[], comes: (key: string) => boolean): Reads {
  const members = new Set<string | null>(actions);
  const fields = new Set<string | null>();
  const claims = new Set<string>();
  const headers = new Set<string>();
  const forced: Reader[] = [];
  const slots = new Set<number>();
  const paths = new Map<string, (readonly string[])[]>();
  let remote = false;
  const addPath = (index: number, path: readonly string[]): void => {
    const key = source.sequence[index];
    if (key !== undefined && comes(key)) paths.set(key, [...(paths.get(key) ?? []), path]);
  };
  for (const { action, index, path } of source.taken) if (members.has(action)) addPath(index, path);
  for (const { action, place } of source.reads) {
    if (!members.has(action)) continue;
    if (place.from === 'payload') {
      fields.add(place.field);
      if (place.slot !== null) slots.add(place.slot);
    } else if (place.from === 'claims') {
      claims.add(place.path[0] ?? '');
      forced.push(createClaimReader(place.path));
    } else if (place.from === 'result') addPath(place.index, []);
    else {
      if (place.header !== undefined) headers.add(place.header);
      remote ||= place.remote === true;
      forced.push(place.read);
    }
  }
  forced.push(...source.asked.flatMap(({ action, read }) => (members.has(action) ? [read] : [])));
  const names = [...source.names].filter(([, slot]) => slots.has(slot));
  const isStored = (path: string): boolean => fields.has(null) || fields.has(path.split('.', 1)[0] ?? path);
  const labels = [
    ...[...fields].map((field) => `payload:${field ?? ALL}`),
    ...source.findPayloadForms(actions).flatMap(({ path, label }) => (isStored(path) ? [label] : [])),
    ...[...claims].map((claim) => `claim:${claim}`),
    ...[...headers].map((header) => `header:${header}`),
    ...(remote ? ['address:'] : []),
    ...names.map(([name]) => `name:${name}`),
    ...[...paths].flatMap(([key, all]) => all.map((path) => `result:${key}:${path.join('.') || ALL}`)),
  ];
  return {
    fields,
    claims,
    headers,
    remote,
    forced,
    names,
    results: [...paths].map(([key, all]) => ({ key, pick: createPicker(all) })),
    labels: [...new Set(labels)].sort(),
  };
}

/** Returns the first label that `given` does not cover, or null. */
export function findMissingLabel(given: readonly string[], needs: readonly string[]): string | null {
  const known = new Set(given);
  const toWholeLabel = (label: string): string => `${label.slice(0, label.lastIndexOf(':') + 1)}${ALL}`;
  return needs.find((label) => !known.has(label) && !known.has(toWholeLabel(label))) ?? null;
}

/** Selects the values at these paths, with their structure. */
function createPicker(paths: readonly (readonly string[])[]): (result: unknown) => unknown {
  if (paths.some(({ length }) => length === 0)) return (result) => result;
  // The value at an outer path includes the inner ones.
  const isInside = (path: readonly string[], outer: readonly string[]): boolean =>
    outer !== path && outer.length <= path.length && outer.every((segment, at) => segment === path[at]);
  const unique = [...new Map(paths.map((path) => [path.join('.'), path])).values()];
  const outer = unique.filter((path) => !unique.some((other) => isInside(path, other)));
  const readers = outer.map((path) => [path, compilePath(path)] as const);
  return (result) => {
    if (typeof result !== 'object' || result === null) return undefined;
    const picked: Record<string, unknown> = {};
    for (const [path, read] of readers) {
      const value = read(result);
      if (value !== undefined) writePath(picked, path, value);
    }
    return picked;
  };
}

/** Copies names and results between frames and JSON. */
export function createValueSerializer(
  names: Reads['names'],
  results: readonly PickedResult[],
  indexOf: ReadonlyMap<string, number>,
): {
  readonly serializeValues: (frame: Frame) => Pick<DeferredState, 'names' | 'results'>;
  readonly restoreValues: (state: Pick<DeferredState, 'names' | 'results'>, frame: Frame) => void;
} {
  return {
    serializeValues: (frame) => ({
      names: omitUndefined(names.map(([name, slot]) => [name, frame.slots[slot]])),
      results: omitUndefined(results.map(({ key, pick }) => [key, pick(frame.results[indexOf.get(key) ?? -1])])),
    }),
    restoreValues(state, frame) {
      for (const [name, slot] of names) {
        const value = getOwn(state.names, name);
        if (value !== undefined) frame.slots[slot] = value;
      }
      for (const { key } of results) {
        const index = indexOf.get(key);
        const value = getOwn(state.results, key);
        if (index !== undefined && value !== undefined) frame.results[index] = value;
      }
    },
  };
}

function omitUndefined(entries: readonly (readonly [string, unknown])[]): Record<string, Json> {
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Record<string, Json>;
}

/** Inputs as versions before 0.6 listed them, so that their jobs can still run. */
export function listLegacyInputs(source: PartSource, actions: readonly PartMember[], reads: Reads): string[] {
  const keys = new Set(actions.map(({ key }) => key));
  const indexes = source.reads.flatMap(({ action, place }) =>
    action !== null && keys.has(action) && place.from === 'result' ? [source.sequence[place.index] ?? ''] : [],
  );
  const results = new Set([...actions.flatMap(({ depends }) => depends), ...indexes].filter((key) => !keys.has(key)));
  const { fields, claims, headers, remote, names } = reads;
  return [
    ...[...fields, ...claims, ...headers, ...names.map(([name]) => name), ...results, ...(remote ? ['$remote'] : [])],
  ]
    .map(String)
    .sort();
}
