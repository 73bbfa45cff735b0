/**
 * Where the value of a name comes from: the one resolver that statements, documents, calls, messages, features and editors ask.
 * Decided from the definition of one resource alone, never from other files and never from what a client sends.
 */
import { pathParameters } from '../language/route.js';
import type { Declaration, Reference } from './finds.js';
import type { LinkedAction, LinkedResource } from './linked.js';
import { closureOf, runningOrder } from './order.js';
import type { Registry } from './registry.js';
import { listFacts } from './repeats.js';
import { inside } from './report.js';

/** In this order the first wins. `output`: a name of the one item of a list that an actionable before gives. */
export const SOURCE_SORTS = ['extracted', 'generated', 'output', 'payload', 'claim'] as const;
export type SourceSort = (typeof SOURCE_SORTS)[number];

/** What makes a name one of the payload: the first that applies. */
export type PayloadReason =
  /** A rule declares it. */
  | 'rule'
  /** It stands in the path of the resource. */
  | 'path'
  /** A field of the definition names it as a field of the payload: what is hashed, encrypted, verified. */
  | 'property'
  /** It is inside the items of the list that the work is repeated for. */
  | 'item'
  /** It stands for the column of that name. */
  | 'column'
  /** The resource declares no rules at all. */
  | 'unruled'
  /** An accessor of the payload reads it. */
  | 'accessor';

export interface Source {
  readonly sort: SourceSort;
  /** First word of the path. */
  readonly name: string;
  /** Keys of the actionables that give it; empty for payload and claims. */
  readonly makers: readonly string[];
  /** Of payload names only. */
  readonly why: PayloadReason | null;
}

/** `action`: key of the actionable at which the name stands; null: a place of the resource. */
export interface Sources {
  /** Sources of a name that are certain, the one that wins first. */
  all(name: string, action: string | null): readonly Source[];
  /** What a bare word in a list of values is; null: it has no source. `columns`: those that it stands for. */
  bare(text: string, action: string | null, columns: readonly string[]): Source | null;
  /** What an accessor of the payload reads by this name. */
  read(name: string, action: string | null): Source;
  /** All names that have a source there, those of each sort together. */
  names(action: string | null): readonly Source[];
}

type Scope = Pick<
  LinkedResource,
  'path' | 'definition' | 'actions' | 'names' | 'generated' | 'claims' | 'payloadFields'
>;

const WORD = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$/;

/** A name as it may be written bare: words with dots between them. */
export const isWord = (text: string): boolean => WORD.test(text);

export const rootOf = (path: string): string => path.split('.')[0] ?? path;

/** `scope`: edges and repeats of its actionables may be filled in later, before the first question. */
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
    // Of a list that is no part of the payload, the item itself is meant.
    const ofResult = isItem && (action.repeat?.from === 'result' || action.repeat?.from === 'extracted');
    const makers = action === undefined || ofResult ? [] : outputsOf(action, name);
    if (makers.length > 0) found.push({ sort: 'output', name, makers, why: null });
    if (rules.has(name)) found.push(payload(name, 'rule'));
    else if (path.has(name)) found.push(payload(name, 'path'));
    else if (isItem) found.push(payload(name, 'item'));
    // What a step protects is covered wherever it comes from: alone it is a field of the payload.
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
      // What the clock begins has no payload in which any word could be.
      if (rules.size === 0 && action?.timing.scheduled !== true) return payload(name, 'unruled');
      const repeat = action?.repeat ?? null;
      // Nothing is said of the items of a list that a result holds.
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

/** Names without quotes are lower case to a database. */
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

/** Keys of the actionables before another one whose result is a list with this name in its items, as the definition orders them. */
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
