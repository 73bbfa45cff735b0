/** Resolves where the value of a name comes from. Reads only one definition. */
import { listPathParameters } from '../strings/route.js';
import type { Declaration, Reference } from './facts.js';
import type { LinkedAction, LinkedResource } from './linked-resource.js';
import { orderWithDependencies, listInRunningOrder } from './running-order.js';
import type { Registry } from './registry.js';
import { listFacts } from './repeats.js';
import { isInside } from './report.js';
import { SOURCE_SORTS, type PayloadReason, type Source, type Sources } from './model.js';

type Scope = Pick<
  LinkedResource,
  'path' | 'definition' | 'actions' | 'names' | 'generated' | 'claims' | 'payloadFields'
>;

const WORD = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$/;

/** True for identifiers joined by dots. */
export const isWord = (text: string): boolean => WORD.test(text);

export const getRootName = (path: string): string => path.split('.')[0] ?? path;

/** Edges and repeats may be added until the first call. */
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
    // Only without another source, a protected name is a payload field.
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
      // A rule in another case is what the payload has.
      const isMiscased = [...rules].some((rule) => rule.toLowerCase() === lower);
      if (!isMiscased && columns.some((column) => isColumn(text, column))) return createPayloadSource(name, 'column');
      const action = key === null ? undefined : byKey.get(key);
      // Scheduled work has no payload.
      if (rules.size === 0 && action?.timing.scheduled !== true) return createPayloadSource(name, 'unruled');
      const repeat = action?.repeat ?? null;
      // Without known fields of the items, any word may be one.
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

/** Actionables that run before `user` and return a list with the name. */
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
