/** The named values that pass between actionables, for display. */
import type { AccessorText, Reference } from './facts.js';
import { listPayloadReaders } from './checks/readers.js';
import { createActionKey } from './read-resource.js';
import type { ActionModel } from './model.js';
import { getNodeText } from './node-text.js';
import type { Registry } from './registry.js';
import { type Span, isInside } from './report.js';
import type { LocatedNode } from '../source/tree.js';

export interface DataFlow {
  /** The actionable that produces the values. */
  readonly from: string;
  readonly to: string;
  /** Empty if `to` only waits for `from`. */
  readonly names: readonly string[];
}

/** `sequence`: all actionables that run for one resource, in order. */
export function buildFlows(registry: Registry, sequence: readonly ActionModel[]): DataFlow[] {
  const found = new Map<string, { from: string; to: string; names: Set<string> }>();
  const addFlow = (from: string, to: string, name?: string): void => {
    const key = JSON.stringify([from, to]);
    const known = found.get(key) ?? { from, to, names: new Set() };
    found.set(key, known);
    if (name !== undefined) known.names.add(name);
  };
  const readers = listPayloadReaders(registry);
  /** The actionables that produce a name, by resource and name. */
  const givers = new Map<string, string[]>();
  for (const action of sequence) {
    for (const dependency of action.depends) addFlow(dependency, action.key);
    for (const name of collectUsedNames(action, readers))
      for (const giver of givers.get(`${action.resource}\n${name}`) ?? [])
        if (giver !== action.key) addFlow(giver, action.key, name);
    for (const { name, spot, symbol } of action.definition.finds.declarations) {
      if (symbol !== 'name' || !isInside(spot, action.node)) continue;
      const sources = listSources(action, spot);
      for (const source of sources) addFlow(source, action.key, name);
      givers.set(`${action.resource}\n${name}`, sources.length > 0 ? sources : [action.key]);
    }
  }
  return [...found.values()].map(({ from, to, names }) => ({ from, to, names: [...names] }));
}

/** Empty for its own actionable. */
function listSources(action: ActionModel, spot: Span): string[] {
  const feeding = action.definition.finds.references.filter(
    ({ refers, node }) => refers.feeds === true && isInside(node, action.node),
  );
  const around = listNodesAround(action.node, spot).filter((node) => node !== action.node);
  for (const holder of around.reverse()) {
    const beside = feeding.filter(({ node }) => isInside(node, holder));
    if (beside.length > 0) return toActionKeys(action, beside);
  }
  return toActionKeys(action, feeding);
}

const toActionKeys = (action: ActionModel, references: readonly Reference[]): string[] =>
  references
    .map(({ within, name }) =>
      createActionKey(within === null || within.name === 'self' ? action.resource : within.name, name),
    )
    .filter((key) => action.depends.includes(key));

/** The objects around a location, outermost first. */
function listNodesAround(node: LocatedNode, spot: Span): LocatedNode[] {
  const children = [...node.items, ...node.members.flatMap(({ value }) => value ?? [])];
  const next = children.find((child) => isInside(spot, child));
  const rest = next === undefined ? [] : listNodesAround(next, spot);
  return node.type === 'object' ? [node, ...rest] : rest;
}

function collectUsedNames(action: ActionModel, readers: readonly string[]): Set<string> {
  const { definition, node, parameters, repeat } = action;
  const isOwnText = (text: AccessorText): boolean => isInside(text.node, node);
  const inTexts = definition.finds.accessors
    .filter(isOwnText)
    .flatMap(({ parts }) => parts.flatMap(({ root, tail }) => (readers.includes(root) ? tail.slice(0, 1) : [])));
  const bare = [...parameters].flatMap(([pointer, { from }]) =>
    from === 'extracted' ? getNodeText(action, pointer).split('.').slice(0, 1) : [],
  );
  const list = repeat?.from === 'extracted' && repeat.name !== null ? [repeat.name] : [];
  return new Set([...inTexts, ...bare, ...list]);
}
