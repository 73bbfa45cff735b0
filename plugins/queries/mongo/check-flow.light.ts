/** Follows the fields of a model behind the stages of a pipeline, and in `array_filters`. */
import { getOwn, isObject, type Json } from '../../../contract/json.js';
import { applyNameFlow, type NameFlow } from '../../../contract/name-flow.js';
import { STAGE_FLOWS } from '../../document-actions/shared/stages.light.js';
import { getElement, isValue, toEntries, toFields } from './check-context.light.js';
import type { KnownFields, QueryCheckContext, QueryDefinition } from './check-context.light.js';

type Followed = Pick<QueryCheckContext, 'known' | 'isOpen' | 'origin'>;

/** Documents keep their names, and get more. */
const KEEPING: ReadonlySet<NameFlow | undefined> = new Set<NameFlow>(['keeps', 'adds', 'joins', 'unwinds']);
/** Documents get other names, of which only those are known that hand a field on. */
const NAMING: ReadonlySet<NameFlow | undefined> = new Set<NameFlow>(['selects', 'gives', 'sorts', 'counts']);
/** Documents have these names and no others. */
const EXACT: ReadonlySet<NameFlow | undefined> = new Set<NameFlow>(['gives', 'sorts', 'counts']);
/** Accumulators that return a value of one document. */
const ONE_OF = ['$first', '$last', '$min', '$max'];
const PATH = /^\$([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)$/;

/** The field that the path leads to; null where its type is unknown. */
function findPath(known: KnownFields, path: string): QueryDefinition | null {
  const [root = path, ...rest] = path.split('.');
  let field = known.get(root) ?? null;
  for (const segment of rest) {
    const properties: Json | undefined = field?.['properties'];
    const inner: unknown = isObject(properties) ? getOwn(properties, segment) : undefined;
    field = isObject(inner) ? inner : null;
  }
  return field;
}

/** The field that an expression hands on unchanged. */
function findHanded(known: KnownFields, json: Json | undefined): QueryDefinition | null {
  if (typeof json === 'string') {
    const path = isValue(json) ? undefined : PATH.exec(json)?.[1];
    return path === undefined ? null : findPath(known, path);
  }
  if (!isObject(json)) return null;
  const [[name, inner] = ['', null], other] = toEntries(json);
  return other === undefined && ONE_OF.includes(name) ? findHanded(known, inner) : null;
}

/** `_id` of a group may be an object of fields. */
function findGroupKey(known: KnownFields, json: Json | undefined): QueryDefinition | null {
  if (!isObject(json) || Object.keys(json).some((key) => key.startsWith('$'))) return findHanded(known, json);
  const properties = toEntries(json).map(([key, inner]) => [key, findHanded(known, inner) ?? {}] as const);
  return { properties: Object.fromEntries(properties) };
}

/** The names behind a stage, with the definitions of fields that it hands on. */
export function followStage(context: QueryCheckContext, name: string, json: Json): Followed {
  const flow = STAGE_FLOWS[name];
  const isExact = EXACT.has(flow);
  const { isOpen, origin } = context;
  const known = context.known ?? (isExact ? new Map<string, null>() : null);
  if (known === null) return { known, isOpen };
  // A later use of a removed name is no misspelling.
  if (flow === 'drops') return { known, isOpen };
  const members = isObject(json) ? (json as QueryDefinition) : null;
  if (name === '$replaceRoot' || name === '$replaceWith') {
    const properties = findHanded(known, name === '$replaceWith' ? json : members?.['newRoot'])?.['properties'];
    return isObject(properties) ? { known: new Map(toFields(properties)), isOpen: true } : { known: null, isOpen };
  }
  const findMade = (made: string): QueryDefinition | null => {
    if (flow === 'unwinds') {
      const path = members === null ? json : members['path'];
      const field = typeof path === 'string' ? findHanded(known, path) : null;
      return path === `$${made}` ? getElement(context, field) : null;
    }
    if (name === '$sortByCount') return made === '_id' ? findHanded(known, json) : null;
    if (flow !== 'adds' && name !== '$project' && name !== '$group') return null;
    return name === '$group' && made === '_id'
      ? findGroupKey(known, members?.['_id'])
      : findHanded(known, members === null ? undefined : (getOwn(members, made) as Json | undefined));
  };
  const isNamed = NAMING.has(flow);
  if (!isNamed && !KEEPING.has(flow)) return { known: null, isOpen };
  return {
    known: applyNameFlow(flow, known, json, findMade),
    isOpen: !isExact && (isNamed || isOpen),
    origin: isExact ? `the documents of "${name}"` : origin,
  };
}

/** The elements that `array_filters` name; null where the model does not know them. */
export function followArrayFilters(context: QueryCheckContext, update: Json | undefined): Followed {
  const { known } = context;
  if (known === null || !isObject(update)) return { known: null, isOpen: true };
  const elements = new Map<string, QueryDefinition | null>();
  for (const fields of Object.values(update as QueryDefinition)) {
    for (const path of isObject(fields) ? Object.keys(fields) : []) {
      for (const found of path.matchAll(/\.\$\[([A-Za-z]\w*)\]/g)) {
        const before = path.slice(0, found.index).replaceAll(/\.(?:\$(?:\[\w*\])?|\d+)(?=\.|$)/g, '');
        const list = findPath(known, before);
        const [name = '', element] = [found[1], getElement(context, list)];
        const other = elements.get(name);
        elements.set(name, other === undefined || sameJson(other, element) ? element : null);
      }
    }
  }
  return { known: elements, isOpen: true };
}

const sameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
