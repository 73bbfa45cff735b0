/**
 * Access checks in a set of definitions, counted by their written form: guards, rules, extractions, conditions, and
 * sources of column values. For tests that compare two versions of a set; independent of problems.
 */
import type { Analysis } from '../../language/analysis/analysis.js';
import type { Definition, ResourceModel } from '../../language/analysis/model.js';
import type { Registry } from '../../language/analysis/registry.js';
import { listValueReads } from '../../language/analysis/value-reads.js';
import { toJsonObject } from '../../language/source/tree.js';

const GUARDS = new Set([
  'protected',
  'webhook',
  'rate_limit',
  'payload_validation',
  'verify_hashables',
  'hashables',
  'ciphers',
  'must_return_value',
  'on_empty',
  'extract_response_for',
  'on_multiple',
]);
/** Members that other systems add to rules; they are true without them. */
const IMPLIED_MEMBERS = new Set(['required']);
/** Columns of the owner of a row. */
const OWNER = /^(user|owner|creator|author|account|member|customer)_?id$/i;

export interface GuardInventory {
  /** How much of each guard is written, by definition. */
  readonly sizes: ReadonlyMap<string, number>;
  /** `resource#action column`: kinds of its sources. */
  readonly sources: ReadonlyMap<string, ReadonlySet<string>>;
}

export function collectGuards(analysis: Analysis, registry: Registry): GuardInventory {
  const sizes = new Map<string, number>();
  analysis.definitions.forEach((definition, index) => {
    const name = `${definition.doc.file} ${index}`;
    const add = (key: string, size: number): void => {
      sizes.set(`${name} ${key}`, (sizes.get(`${name} ${key}`) ?? 0) + size);
    };
    measureGuards(toJsonObject(definition.node), null, add);
    for (const { scan } of definition.finds.statements) add('WHERE', countConditions(scan));
  });
  return { sizes, sources: collectSources(analysis.resources, registry) };
}

/**
 * What the second version lacks of the first. `collectValid` returns the facts of the set without the mistake, which
 * may hide sources.
 */
export function listLoosenedGuards(
  before: GuardInventory,
  after: GuardInventory,
  collectValid: () => GuardInventory = () => before,
): string[] {
  const less = [...before.sizes].flatMap(([key, size]) => {
    const now = after.sizes.get(key) ?? 0;
    return now < size ? [`${key}: ${size} became ${now}`] : [];
  });
  const moved = [...after.sources].flatMap(([place, sorts]) => {
    if (!sorts.has('payload')) return [];
    const [action = '', column = ''] = place.split(' ');
    const isOwner = OWNER.test(column);
    const first = before.sources.get(place) ?? (isOwner ? collectValid().sources.get(place) : undefined);
    if (first === undefined)
      return isOwner && !isRenamed(action, before, after) ? [`${place}: from the payload now`] : [];
    const isTrusted = !first.has('payload') && (first.has('claim') || first.has('extracted'));
    return isTrusted ? [`${place}: ${[...first].join()} became payload`] : [];
  });
  return [...less, ...moved];
}

/** An owner column of the actionable that the payload set has another name now. */
const isRenamed = (action: string, before: GuardInventory, after: GuardInventory): boolean =>
  [...before.sources].some(
    ([place, sorts]) =>
      place.startsWith(`${action} `) &&
      OWNER.test(place.slice(action.length + 1)) &&
      sorts.has('payload') &&
      !after.sources.has(place),
  );

function measureGuards(value: unknown, guard: string | null, add: (key: string, size: number) => void): void {
  if (guard !== null) add(guard, 1);
  if (Array.isArray(value)) for (const item of value as unknown[]) measureGuards(item, guard, add);
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value))
      if (!IMPLIED_MEMBERS.has(key)) measureGuards(inner, GUARDS.has(key) ? key : guard, add);
}

/** Comparisons after the first WHERE. */
function countConditions({ tokens, text }: Definition['finds']['statements'][number]['scan']): number {
  const words = tokens.map(({ start, end }) => text.slice(start, end).toUpperCase());
  const at = words.indexOf('WHERE');
  return at === -1 ? 0 : words.slice(at).filter((word) => /^(WHERE|AND|IN|LIKE|[<>=!]+)$/.test(word)).length;
}

function collectSources(resources: readonly ResourceModel[], registry: Registry): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const resource of resources) {
    for (const { action, columns, source } of listValueReads(resource, registry)) {
      for (const column of columns) {
        const place = `${action} ${column}`;
        found.set(place, (found.get(place) ?? new Set<string>()).add(source?.sort ?? 'payload'));
      }
    }
  }
  return found;
}
