/** How a pipeline stage changes the names of fields. Specs assign a flow to each stage. */
import { isObject, type Json } from './json.js';

export const NAME_FLOWS = [
  /** The names stay the same. */
  'keeps',
  /** Adds the names of another source. */
  'mixes',
  /** Adds the names of the object. */
  'adds',
  /** Adds the names in the member `output`. */
  'writes',
  /** Adds the name in the member `as`. */
  'joins',
  /** The name at the start of the path now has elements instead of a list. */
  'unwinds',
  /** Removes the listed names. */
  'drops',
  /** Keeps names with 1 or an expression, or the others of 0. */
  'selects',
  /** The names of the object and no others. */
  'gives',
  /** `_id`, and the names in the member `output`, by default `count`. */
  'sorts',
  /** The string is the only name. */
  'counts',
] as const;

export type NameFlow = (typeof NAME_FLOWS)[number];

type Names<T> = ReadonlyMap<string, T>;
type Members = Readonly<Record<string, Json>>;

/** Null if the names are uncertain. `made` creates the entry of a new name. */
export function applyNameFlow<T>(
  flow: NameFlow | undefined,
  before: Names<T>,
  json: Json,
  made: (name: string) => T,
): Names<T> | null {
  const addNames = (names: readonly string[]): Names<T> =>
    new Map([...before, ...names.map((name) => [getRootName(name), made(getRootName(name))] as const)]);
  const replaceNames = (names: readonly string[]): Names<T> =>
    new Map(names.map((name) => [getRootName(name), made(getRootName(name))] as const));
  const members: Members | null = isObject(json) ? json : null;
  switch (flow) {
    case 'keeps':
    case 'mixes':
      return before;
    case 'adds':
      return members && addNames(Object.keys(members));
    case 'writes':
      return members && addNames(listKeys(members['output']));
    case 'joins':
      return typeof members?.['as'] === 'string' ? addNames(listTexts([members['as'], members['depthField']])) : null;
    case 'unwinds': {
      const path = members === null ? json : members['path'];
      if (typeof path !== 'string') return null;
      return addNames([path.replace(/^\$/, ''), ...listTexts([members?.['includeArrayIndex']])]);
    }
    case 'drops': {
      const dropped = listTexts(Array.isArray(json) ? json : [json]);
      return new Map([...before].filter(([name]) => !dropped.includes(name)));
    }
    case 'selects':
      return members && selectNames(before, members, made);
    case 'gives':
      return members && replaceNames(Object.keys(members));
    case 'sorts': {
      const output = listKeys(members?.['output']);
      return replaceNames(['_id', ...(output.length === 0 ? ['count'] : output)]);
    }
    case 'counts':
      return typeof json === 'string' ? replaceNames([json]) : null;
    case undefined:
      return null;
  }
}

const getRootName = (path: string): string => path.split('.')[0] ?? path;

const listKeys = (json: Json | undefined): string[] => (isObject(json) ? Object.keys(json) : []);

const listTexts = (all: readonly (Json | undefined)[]): string[] =>
  all.flatMap((one) => (typeof one === 'string' ? [one] : []));

const isOff = (json: Json | undefined): boolean => json === 0 || json === false;
const isOn = (json: Json | undefined): boolean => json === true || (typeof json === 'number' && json !== 0);

function selectNames<T>(before: Names<T>, members: Members, made: (name: string) => T): Names<T> {
  const named = Object.keys(members).filter((name) => name !== '_id');
  // `_id` decides only if it is the sole member.
  const asked = named.length > 0 ? named.map((name) => members[name]) : [members['_id'] ?? 0];
  if (asked.every(isOff)) return new Map([...before].filter(([name]) => !isOff(members[name])));
  const kept = isOff(members['_id']) ? named : ['_id', ...named];
  return new Map(
    kept.flatMap((path): [string, T][] => {
      const name = getRootName(path);
      const known = before.get(name);
      const isSame = members[path] === undefined || isOn(members[path]);
      if (isSame && known !== undefined) return [[name, known]];
      return members[path] === undefined || isOff(members[path]) ? [] : [[name, made(name)]];
    }),
  );
}
