/** Duplicates, lengths beyond the algorithm's limit, fields written unhashed. */
import { asText, escapePointer, isObject, type Json, type JsonObject } from '../../../contract/json.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { scanSql } from '../../queries/sql/text/scan.js';

interface Entry {
  readonly entry: string;
  readonly property: string;
  readonly algorithm: string;
  readonly at: string;
}

const listIndexedObjects = (json: Json | undefined): readonly (readonly [JsonObject, number])[] =>
  Array.isArray(json)
    ? (json as readonly Json[]).flatMap((item, index) => (isObject(item) ? [[item, index] as const] : []))
    : [];

export function check(place: CheckPlace): Finding[] {
  const entries = listIndexedObjects(place.value['hashables']).map(([entry, index]) => ({
    property: asText(entry['property']),
    algorithm: asText(entry['algorithm']),
    entry: `/hashables/${index}`,
    at: `/hashables/${index}/property`,
  }));
  return [
    ...checkDuplicates(entries),
    ...entries.flatMap((entry) => [...checkLengths(entry, place), ...checkEarlierWrites(entry, place)]),
  ];
}

const checkDuplicates = (entries: readonly Entry[]): Finding[] =>
  entries
    .filter(({ property }, index) => entries.findIndex((other) => other.property === property) < index)
    .map(({ property, entry, at }) => ({
      code: 'HSH_TWICE',
      at,
      params: { property },
      fix: { title: 'remove this entry', edits: [{ at: entry, remove: true }], asks: true },
    }));

/** A field's own bound takes precedence over that of its rule. */
function checkLengths({ property, algorithm }: Entry, { holder, facts }: CheckPlace): Finding[] {
  const max = facts('hasher', algorithm)?.maxBytes;
  if (typeof max !== 'number') return [];
  return listIndexedObjects(holder['payload_validation']).flatMap(([rule, index]) => {
    const types = rule['field'];
    const type = isObject(types) && Object.hasOwn(types, property) ? types[property] : undefined;
    if (!isObject(type)) return [];
    const own = type['max_length'];
    const length = own ?? rule['max_length'];
    if (typeof length !== 'number' || length <= max) return [];
    const field = escapePointer(property);
    const at = `/payload_validation/${index}${own === undefined ? '' : `/field/${field}`}/max_length`;
    return [{ code: 'HSH_LONG', at, params: { length, algorithm, max } }];
  });
}

/** Actionables that certainly run before: not with `depends_on` or `no_op`. */
function checkEarlierWrites({ property, at }: Entry, { holder, root }: CheckPlace): Finding[] {
  const actions = listIndexedObjects(root['actionables']).map(([action]) => action);
  const own = actions.findIndex((action) => action['id'] === holder['id']);
  return actions
    .slice(0, Math.max(own, 0))
    .filter((action) => action['no_op'] !== true && action['depends_on'] === undefined && !isHashed(action, property))
    .filter((action) => Object.values(action).some((part) => isObject(part) && isWritten(part, property)))
    .map((action) => ({ code: 'HSH_RAW_BEFORE', at, params: { action: Number(action['id']), property } }));
}

const isHashed = (action: JsonObject, property: string): boolean =>
  listIndexedObjects(action['hashables']).some(([entry]) => entry['property'] === property);

/** True for a statement that writes the field into a column. */
function isWritten({ query, parameters }: JsonObject, property: string): boolean {
  if (typeof query !== 'string' || !Array.isArray(parameters)) return false;
  const { verb, placeholders } = scanSql(query);
  if (verb !== 'INSERT' && verb !== 'UPDATE') return false;
  const values = parameters as readonly Json[];
  return placeholders.some(({ n, column }) => {
    const text = asText(values[n - 1]);
    const isField = text === property || listAccessors(text).some(({ tail }) => tail.join('.') === property);
    return column !== null && isField;
  });
}
