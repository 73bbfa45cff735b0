/** Resolves where the value of a name comes from. Reads only one definition, never other files or client data. */
import { listPathParameters } from '../strings/route.js';
import type { Declaration, Reference } from './facts.js';
import type { LinkedAction, LinkedResource } from './linked-resource.js';
import { orderWithDependencies, listInRunningOrder } from './running-order.js';
import type { Registry } from './registry.js';
import { listFacts } from './repeats.js';
import { isInside } from './report.js';

/** In order of precedence. `output`: a field of the single item in an earlier list result. */
export const SOURCE_SORTS = ['extracted', 'generated', 'output', 'payload', 'claim'] as const;
export type SourceSort = (typeof SOURCE_SORTS)[number];

/** The first reason that applies. */
export type PayloadReason =
  /** A rule declares it. */
  | 'rule'
  /** It is a path parameter. */
  | 'path'
  /** A definition field for payload fields names it (hash, encrypt, verify). */
  | 'property'
  /** It is a field of the repeated items. */
  | 'item'
  /** It is bound to the column of that name. */
  | 'column'
  /** The resource declares no rules. */
  | 'unruled'
  /** A payload accessor reads it. */
  | 'accessor';

export interface Source {
  readonly sort: SourceSort;
  /** The first segment of the path. */
  readonly name: string;
  /** Keys of the actionables that produce it. */
  readonly makers: readonly string[];
  /** Null unless `sort` is `payload`. */
  readonly why: PayloadReason | null;
}

/** `action`: the key of the actionable that contains the name; null outside actionables. */
export interface Sources {
  /** All certain sources, in order of precedence. */
  listSources(name: string, action: string | null): readonly Source[];
  /** Resolves a bare word in a parameter list. `columns`: the columns it is bound to. */
  resolveBare(text: string, action: string | null, columns: readonly string[]): Source | null;
  /** Resolves the name in a payload accessor. */
  read(name: string, action: string | null): Source;
  /** All names with a source here, grouped by kind of source. */
  listNames(action: string | null): readonly Source[];
}

type Scope = Pick<
  LinkedResource,
  'path' | 'definition' | 'actions' | 'names' | 'generated' | 'claims' | 'payloadFields'
>;

const WORD = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$/;

/** True for identifiers joined by dots. */
export const isWord = (text: string): boolean => WORD.test(text);

export const getRootName = (path: string): string => path.split('.')[0] ?? path;

/** Edges and repeats may be added to the actionables of `scope` until the first call. */
export function createSources(scope: Scope, registry: Registry): Sources {
  const { declarations, references } = scope.definition.finds;
  const path = new Set(listPathParameters(scope.path));
  const rules = new Set(declarations.flatMap(({ symbol, name }) => (symbol === 'payload-field' ? [name] : [])));
  const properties = new Set(references.flatMap(listProperties));
  const byKey = new Map(scope.actions.map((action) => [action.key, action]));
  const outputsOf = createOutputLookup(scope, registry);

  const createProducedSource = (sort: 'extracted' | 'generated', name: string): Source => ({
    sort,
    name,
    makers: findProducers(scope, declarations, SYMBOLS[sort], name),
    why: null,
  });
  const createPayloadSource = (name: string, why: PayloadReason): Source => ({
    sort: 'payload',
    name,
    makers: [],
    why,
  });

  function listSources(name: string, key: string | null): readonly Source[] {
    const action = key === null ? undefined : byKey.get(key);
    const found: Source[] = [];
    if (scope.names.has(name)) found.push(createProducedSource('extracted', name));
    if (scope.generated.has(name)) found.push(createProducedSource('generated', name));
    const isItem = action?.repeat?.fields?.includes(name) === true;
    // The item belongs to the result, not to the payload.
    const ofResult = isItem && (action.repeat?.from === 'result' || action.repeat?.from === 'extracted');
    const makers = action === undefined || ofResult ? [] : outputsOf(action, name);
    if (makers.length > 0) found.push({ sort: 'output', name, makers, why: null });
    if (rules.has(name)) found.push(createPayloadSource(name, 'rule'));
    else if (path.has(name)) found.push(createPayloadSource(name, 'path'));
    else if (isItem) found.push(createPayloadSource(name, 'item'));
    // A protected name is a payload field only if it has no other source.
    else if (properties.has(name) && found.length === 0) found.push(createPayloadSource(name, 'property'));
    if (scope.claims.has(name)) found.push({ sort: 'claim', name, makers: [], why: null });
    return found;
  }

  return {
    listSources,
    resolveBare(text, key, columns) {
      const name = getRootName(text);
      const [first] = listSources(name, key);
      if (first !== undefined) return first;
      if (!isWord(text)) return null;
      const lower = name.toLowerCase();
      // A rule in another case is what the payload has, so this name would always be NULL.
      const isMiscased = [...rules].some((rule) => rule.toLowerCase() === lower);
      if (!isMiscased && columns.some((column) => isColumn(text, column))) return createPayloadSource(name, 'column');
      const action = key === null ? undefined : byKey.get(key);
      // Scheduled work has no payload.
      if (rules.size === 0 && action?.timing.scheduled !== true) return createPayloadSource(name, 'unruled');
      const repeat = action?.repeat ?? null;
      // The fields of the items are unknown, so any word may be one.
      const isOpen = repeat?.fields === null && (repeat.from === 'result' || repeat.from === 'extracted');
      return isOpen ? createPayloadSource(name, 'item') : null;
    },
    read: (name, key) =>
      listSources(name, key).find(({ sort }) => sort !== 'claim') ?? createPayloadSource(name, 'accessor'),
    listNames(key) {
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
      const found = [...every].flatMap((name) => listSources(name, key).slice(0, 1));
      return SOURCE_SORTS.flatMap((wanted) => found.filter(({ sort }) => sort === wanted));
    },
  };
}

const SYMBOLS = { extracted: 'name', generated: 'generated' } as const;

/** Databases fold unquoted names to lower case. */
const isColumn = (text: string, column: string): boolean =>
  text === column || (column === column.toLowerCase() && text.toLowerCase() === column);

const listProperties = ({ refers, name }: Reference): string[] =>
  refers.symbol === 'payload-field' ? [getRootName(String(name))] : [];

const findProducers = (
  { actions }: Scope,
  declarations: readonly Declaration[],
  wanted: Declaration['symbol'],
  name: string,
): string[] =>
  actions.flatMap(({ key, node }) =>
    declarations.some((one) => one.symbol === wanted && getRootName(one.name) === name && isInside(one.spot, node))
      ? [key]
      : [],
  );

/** The actionables that run before `user` and return a list with the name in its items. */
function createOutputLookup(scope: Scope, registry: Registry): (user: LinkedAction, name: string) => string[] {
  const { actions } = scope;
  const outputs = new Map<LinkedAction, readonly string[]>();
  for (const action of actions) {
    const names = listFacts(scope, action, registry)?.outputs;
    if (names) outputs.set(action, names);
  }
  return outputs.size === 0 ? NO_OUTPUTS : createListOutputLookup(actions, outputs);
}

/** Without the scope of the look-up, which each resource would keep. */
const NO_OUTPUTS = (): string[] => [];

function createListOutputLookup(
  actions: readonly LinkedAction[],
  outputs: ReadonlyMap<LinkedAction, readonly string[]>,
): (user: LinkedAction, name: string) => string[] {
  const byKey = new Map(actions.map((action) => [action.key, action]));
  const waitsFor = (action: LinkedAction): LinkedAction[] => action.edges.flatMap(({ to }) => byKey.get(to) ?? []);
  const listRunning = (): readonly LinkedAction[] =>
    listInRunningOrder(
      actions.filter(({ timing }) => !timing.scheduled),
      waitsFor,
    );
  return (user, name) => {
    const all = listRunning();
    const order = all.includes(user) ? all : orderWithDependencies([user], waitsFor);
    const position = order.indexOf(user);
    return order.flatMap((action, at) => {
      if (at >= position || outputs.get(action)?.includes(name) !== true) return [];
      const isAtOnce = order.slice(at, position + 1).every(({ parallel }) => parallel);
      return isAtOnce ? [] : [action.key];
    });
  };
}
