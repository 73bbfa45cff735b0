/** Types of fields behind the stages of a pipeline, and in `array_filters`. */
import { asText, getOwn, isObject, type Json } from '../../../contract/json.js';
import { findNoType, getInnerType, type FieldTypeLookup, type StoredFieldType } from './values.js';

/** Stages behind which a field of the same name has the same type. */
const KEEPING: ReadonlySet<string> = new Set(['$match', '$sort', '$limit', '$skip', '$sample', '$redact', '$unset']);
/** Accumulators that return a value of one document. */
const ONE_OF = ['$first', '$last', '$min', '$max'];
const PATH = /^\$([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)$/;

/** The path that an expression hands on unchanged. */
function findHanded(json: unknown): string | null {
  if (typeof json === 'string') return PATH.exec(json)?.[1] ?? null;
  if (!isObject(json)) return null;
  const [[name, inner] = ['', null], other] = Object.entries(json);
  return other === undefined && ONE_OF.includes(name) ? findHanded(inner) : null;
}

const isOn = (json: unknown): boolean => json === true || (typeof json === 'number' && json !== 0);
const isOff = (json: unknown): boolean => json === false || json === 0;

/** The types behind the stage. */
export function followTypes(typeOf: FieldTypeLookup, name: string, json: Json): FieldTypeLookup {
  if (KEEPING.has(name)) return typeOf;
  const members = isObject(json) ? json : {};
  const readHanded = (expression: unknown, rest: readonly string[]): StoredFieldType => {
    const path = findHanded(expression);
    return path === null ? null : typeOf([path, ...rest].join('.'));
  };
  /** `has`: also as the beginning of a path. */
  const hasRoot = (root: string): boolean => Object.keys(members).some((key) => key.split('.')[0] === root);
  const followRoot =
    (find: (root: string, rest: readonly string[], path: string) => StoredFieldType): FieldTypeLookup =>
    (path) => {
      const [root = '', ...rest] = path.split('.');
      return find(root, rest, path);
    };
  switch (name) {
    case '$project': {
      const given = Object.entries(members).filter(([key]) => key !== '_id');
      const drops = given.length > 0 && given.every(([, value]) => isOff(value));
      return followRoot((root, rest, path) => {
        const own = getOwn(members, root);
        if (own === undefined) return drops || hasRoot(root) || root === '_id' ? typeOf(path) : null;
        return isOn(own) ? typeOf(path) : readHanded(own, rest);
      });
    }
    case '$set':
    case '$addFields':
      return followRoot((root, rest, path) => {
        const own = getOwn(members, root);
        return own === undefined ? (hasRoot(root) ? null : typeOf(path)) : readHanded(own, rest);
      });
    case '$group':
      return followRoot((root, rest) => {
        const own = getOwn(members, root);
        const [key = '', ...inside] = rest;
        const isKey = root === '_id' && isObject(own) && findHanded(own) === null;
        return isKey ? readHanded(getOwn(own, key), inside) : readHanded(own, rest);
      });
    case '$sortByCount':
      return followRoot((root, rest) => (root === '_id' ? readHanded(json, rest) : null));
    case '$unwind': {
      const index = members['includeArrayIndex'];
      return followRoot((root, _, path) => (root === index ? null : typeOf(path)));
    }
    case '$lookup':
    case '$graphLookup': {
      const added = [members['as'], members['depthField']].map((one) => asText(one ?? null).split('.')[0]);
      return followRoot((root, _, path) => (added.includes(root) ? null : typeOf(path)));
    }
    case '$replaceRoot':
    case '$replaceWith': {
      const path = findHanded(name === '$replaceWith' ? json : members['newRoot']);
      return path === null ? findNoType : (inner) => typeOf(`${path}.${inner}`);
    }
    default:
      return findNoType;
  }
}

/** The types of the elements that `array_filters` name, by the paths of the update. */
export function followArrayFilters(typeOf: FieldTypeLookup, update: Json | undefined): FieldTypeLookup {
  const lists = new Map<string, string | null>();
  const paths = isObject(update)
    ? Object.values(update).flatMap((fields) => (isObject(fields) ? Object.keys(fields) : []))
    : [];
  for (const path of paths) {
    for (const found of path.matchAll(/\.\$\[([A-Za-z]\w*)\]/g)) {
      const [name = '', before] = [found[1], path.slice(0, found.index).replaceAll(/\$(?:\[\w*\])?/g, '0')];
      lists.set(name, (lists.get(name) ?? before) === before ? before : null);
    }
  }
  return (path) => {
    const [name = '', ...rest] = path.split('.');
    const list = lists.get(name) ?? null;
    return list === null ? null : rest.reduce<StoredFieldType>(getInnerType, getInnerType(typeOf(list), '0'));
  };
}
