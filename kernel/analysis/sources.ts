/**
 * Resolves where the value of a name comes from; all consumers use this resolver. Reads only the definition of one resource,
 * never other files or client data.
 */
import { pathParameters } from '../language/route.js';
import type { Declaration, Reference } from './finds.js';
import type { LinkedAction, LinkedResource } from './linked.js';
import { closureOf, runningOrder } from './order.js';
import type { Registry } from './registry.js';
import { listFacts } from './repeats.js';
import { inside } from './report.js';

/** In order of precedence. `output`: a field of the single item in the list result of an earlier actionable. */
export const SOURCE_SORTS = ['extracted', 'generated', 'output', 'payload', 'claim'] as const;
export type SourceSort = (typeof SOURCE_SORTS)[number];

/** Why a name is a payload field: the first reason that applies. */
export type PayloadReason =
  /** A rule declares it. */
  | 'rule'
  /** The path of the resource contains it. */
  | 'path'
  /** A definition field that requires payload fields names it (hash, encrypt, verify). */
  | 'property'
  /** It is a field of the items of the list that the work repeats over. */
  | 'item'
  /** The value is bound to the column of that name. */
  | 'column'
  /** The resource declares no rules, so any word is a payload field. */
  | 'unruled'
  /** A payload accessor reads it. */
  | 'accessor';

export interface Source {
  readonly sort: SourceSort;
  /** The first segment of the path. */
  readonly name: string;
  /** The keys of the actionables that produce it; empty for payload and claims. */
  readonly makers: readonly string[];
  /** Set only for payload names. */
  readonly why: PayloadReason | null;
}

/** `action`: the key of the actionable that contains the name; null outside actionables. */
export interface Sources {
  /** All certain sources of a name, in order of precedence. */
  all(name: string, action: string | null): readonly Source[];
  /** Resolves a bare word in a parameter list; null if it has no source. `columns`: the columns that the value is bound to. */
  bare(text: string, action: string | null, columns: readonly string[]): Source | null;
  /** Resolves a name that a payload accessor reads. */
  read(name: string, action: string | null): Source;
  /** All names that have a source for this actionable, grouped by kind of source. */
  names(action: string | null): readonly Source[];
}

type Scope = Pick<
  LinkedResource,
  'path' | 'definition' | 'actions' | 'names' | 'generated' | 'claims' | 'payloadFields'
>;

const WORD = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$/;

/** True for a bare name: identifiers joined by dots. */
export const isWord = (text: string): boolean => WORD.test(text);

export const rootOf = (path: string): string => path.split('.')[0] ?? path;

/** `scope`: linking may still add edges and repeats to its actionables, until the first call of the result. */
export function makeSources(scope: Scope, registry: Registry): Sources {
  const { declarations, references } = scope.definition.finds;
  const path = new Set(pathParameters(scope.path));
  const rules = new Set(declarations.flatMap(({ symbol, name }) => (symbol === 'payload-field' ? [name] : [])));
  const properties = new Set(references.flatMap(propertyOf));
  const byKey = new Map(scope.actions.map((action) => [action.key, action]));
  const outputsOf = outputsBefore(scope, registry);

  const given = (sort: 'extracted' | 'generated', name: string): Source => ({
    sort,
    name,
    makers: makersOf(scope, declarations, SYMBOLS[sort], name),
    why: null,
  });
  const payload = (name: string, why: PayloadReason): Source => ({ sort: 'payload', name, makers: [], why });

  function all(name: string, key: string | null): readonly Source[] {
    const action = key === null ? undefined : byKey.get(key);
    const found: Source[] = [];
    if (scope.names.has(name)) found.push(given('extracted', name));
    if (scope.generated.has(name)) found.push(given('generated', name));
    const isItem = action?.repeat?.fields?.includes(name) === true;
    // If the repeated list is not part of the payload, the name refers to the item.
    const ofResult = isItem && (action.repeat?.from === 'result' || action.repeat?.from === 'extracted');
    const makers = action === undefined || ofResult ? [] : outputsOf(action, name);
    if (makers.length > 0) found.push({ sort: 'output', name, makers, why: null });
    if (rules.has(name)) found.push(payload(name, 'rule'));
    else if (path.has(name)) found.push(payload(name, 'path'));
    else if (isItem) found.push(payload(name, 'item'));
    // A protected name is a payload field only if it has no other source.
    else if (properties.has(name) && found.length === 0) found.push(payload(name, 'property'));
    if (scope.claims.has(name)) found.push({ sort: 'claim', name, makers: [], why: null });
    return found;
  }

  return {
    all,
    bare(text, key, columns) {
      const name = rootOf(text);
      const [first] = all(name, key);
      if (first !== undefined) return first;
      if (!isWord(text)) return null;
      if (columns.some((column) => isColumn(text, column))) return payload(name, 'column');
      const action = key === null ? undefined : byKey.get(key);
      // Scheduled work has no payload, so an undeclared word cannot be a payload field.
      if (rules.size === 0 && action?.timing.scheduled !== true) return payload(name, 'unruled');
      const repeat = action?.repeat ?? null;
      // The fields of items in an undeclared result list are unknown, so any word may be one.
      const isOpen = repeat?.fields === null && (repeat.from === 'result' || repeat.from === 'extracted');
      return isOpen ? payload(name, 'item') : null;
    },
    read: (name, key) => all(name, key).find(({ sort }) => sort !== 'claim') ?? payload(name, 'accessor'),
    names(key) {
      const action = key === null ? undefined : byKey.get(key);
      const outputs = scope.actions.flatMap((one) => listFacts(scope, one, registry)?.outputs ?? []);
      const items = action?.repeat?.fields ?? [];
      const every = new Set([
        ...scope.names,
        ...scope.generated,
        ...outputs,
        ...rules,
        ...path,
        ...items,
        ...properties,
        ...scope.claims,
      ]);
      const found = [...every].flatMap((name) => all(name, key).slice(0, 1));
      return SOURCE_SORTS.flatMap((wanted) => found.filter(({ sort }) => sort === wanted));
    },
  };
}

const SYMBOLS = { extracted: 'name', generated: 'generated' } as const;

/** Databases fold unquoted names to lower case. */
const isColumn = (text: string, column: string): boolean =>
  text === column || (column === column.toLowerCase() && text.toLowerCase() === column);

const propertyOf = ({ refers, name }: Reference): string[] =>
  refers.symbol === 'payload-field' ? [rootOf(String(name))] : [];

const makersOf = (
  { actions }: Scope,
  declarations: readonly Declaration[],
  wanted: Declaration['symbol'],
  name: string,
): string[] =>
  actions.flatMap(({ key, node }) =>
    declarations.some((one) => one.symbol === wanted && rootOf(one.name) === name && inside(one.spot, node))
      ? [key]
      : [],
  );

/** The keys of the actionables that run before `user` and whose list result has the name in its items. */
function outputsBefore(scope: Scope, registry: Registry): (user: LinkedAction, name: string) => string[] {
  const { actions } = scope;
  const outputs = new Map<LinkedAction, readonly string[]>();
  for (const action of actions) {
    const names = listFacts(scope, action, registry)?.outputs;
    if (names) outputs.set(action, names);
  }
  if (outputs.size === 0) return () => [];
  const byKey = new Map(actions.map((action) => [action.key, action]));
  const waitsFor = (action: LinkedAction): LinkedAction[] => action.edges.flatMap(({ to }) => byKey.get(to) ?? []);
  const running = (): readonly LinkedAction[] =>
    runningOrder(
      actions.filter(({ timing }) => !timing.scheduled),
      waitsFor,
    );
  return (user, name) => {
    const all = running();
    const order = all.includes(user) ? all : closureOf([user], waitsFor);
    const position = order.indexOf(user);
    return order.flatMap((action, at) => {
      if (at >= position || outputs.get(action)?.includes(name) !== true) return [];
      const isAtOnce = order.slice(at, position + 1).every(({ parallel }) => parallel);
      return isAtOnce ? [] : [action.key];
    });
  };
}
