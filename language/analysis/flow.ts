/** Computes the named values that pass between actionables, for display. The compiler does not use it. */
import type { AccessorText, Reference } from './finds.js';
import { payloadReaders } from './checks/readers.js';
import { actionKey } from './linked.js';
import type { ActionModel } from './model.js';
import { nodeTextOf } from './node-text.js';
import type { Registry } from './registry.js';
import { type Span, inside } from './report.js';
import type { LocatedNode } from '../source/tree.js';

export interface Flow {
  /** The actionable that produces the values. */
  readonly from: string;
  readonly to: string;
  /** Empty if `to` only waits for `from`. */
  readonly names: readonly string[];
}

/** `sequence`: all actionables that run for one resource, in order. */
export function flowsOf(registry: Registry, sequence: readonly ActionModel[]): Flow[] {
  const found = new Map<string, { from: string; to: string; names: Set<string> }>();
  const flow = (from: string, to: string, name?: string): void => {
    const key = JSON.stringify([from, to]);
    const known = found.get(key) ?? { from, to, names: new Set() };
    found.set(key, known);
    if (name !== undefined) known.names.add(name);
  };
  const readers = payloadReaders(registry);
  /** The actionables that produce a name, by resource and name. */
  const givers = new Map<string, string[]>();
  for (const action of sequence) {
    for (const dependency of action.depends) flow(dependency, action.key);
    for (const name of namesUsed(action, readers))
      for (const giver of givers.get(`${action.resource}\n${name}`) ?? [])
        if (giver !== action.key) flow(giver, action.key, name);
    for (const { name, spot, symbol } of action.definition.finds.declarations) {
      if (symbol !== 'name' || !inside(spot, action.node)) continue;
      const sources = sourcesOf(action, spot);
      for (const source of sources) flow(source, action.key, name);
      givers.set(`${action.resource}\n${name}`, sources.length > 0 ? sources : [action.key]);
    }
  }
  return [...found.values()].map(({ from, to, names }) => ({ from, to, names: [...names] }));
}

/** The actionables that a name is extracted from; empty for its own actionable. */
function sourcesOf(action: ActionModel, spot: Span): string[] {
  const feeding = action.definition.finds.references.filter(
    ({ refers, node }) => refers.feeds === true && inside(node, action.node),
  );
  const around = nodesAround(action.node, spot).filter((node) => node !== action.node);
  for (const holder of around.reverse()) {
    const beside = feeding.filter(({ node }) => inside(node, holder));
    if (beside.length > 0) return keysOf(action, beside);
  }
  return keysOf(action, feeding);
}

const keysOf = (action: ActionModel, references: readonly Reference[]): string[] =>
  references
    .map(({ within, name }) =>
      actionKey(within === null || within.name === 'self' ? action.resource : within.name, name),
    )
    .filter((key) => action.depends.includes(key));

/** The objects around a location, outermost first. */
function nodesAround(node: LocatedNode, spot: Span): LocatedNode[] {
  const children = [...node.items, ...node.members.flatMap(({ value }) => value ?? [])];
  const next = children.find((child) => inside(spot, child));
  const rest = next === undefined ? [] : nodesAround(next, spot);
  return node.type === 'object' ? [node, ...rest] : rest;
}

function namesUsed(action: ActionModel, readers: readonly string[]): Set<string> {
  const { definition, node, parameters, repeat } = action;
  const own = (text: AccessorText): boolean => inside(text.node, node);
  const inTexts = definition.finds.accessors
    .filter(own)
    .flatMap(({ parts }) => parts.flatMap(({ root, tail }) => (readers.includes(root) ? tail.slice(0, 1) : [])));
  const bare = [...parameters].flatMap(([pointer, { from }]) =>
    from === 'extracted' ? nodeTextOf(action, pointer).split('.').slice(0, 1) : [],
  );
  const list = repeat?.from === 'extracted' && repeat.name !== null ? [repeat.name] : [];
  return new Set([...inTexts, ...bare, ...list]);
}
