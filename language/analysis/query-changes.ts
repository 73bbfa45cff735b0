/** From plugin specs: whether a document query modifies documents, and its result fields. */
import type { PluginSpec } from '../../contract/plugin-spec.js';
import { findMember, type LocatedNode } from '../source/tree.js';
import type { DocumentQuery, PluginUsage } from './facts.js';
import type { Definition } from './model.js';
import type { Registry } from './registry.js';

interface QueryPlugin {
  readonly place: PluginUsage;
  readonly spec: PluginSpec;
}

/** Plugins with fields in the query's own object. */
const listQueryPlugins = ({ finds }: Definition, { around }: DocumentQuery, { plugins }: Registry): QueryPlugin[] =>
  finds.places.flatMap((place) => {
    const spec = place.node === around ? plugins.get(place.plugin) : undefined;
    return spec === undefined ? [] : [{ place, spec }];
  });

export interface QueryChange {
  /** The plugin's name in definitions. */
  readonly verb: string;
  /** The selecting field of the plugin, else the query. */
  readonly node: LocatedNode;
}

export function findChange(definition: Definition, query: DocumentQuery, registry: Registry): QueryChange | null {
  const changing = listQueryPlugins(definition, query, registry).find(({ spec }) => spec.facts?.changes === true);
  if (changing === undefined) return null;
  const { kind, name } = changing.spec;
  const select = registry.kind(kind)?.select;
  const written = select?.by === 'field' ? findMember(query.around, select.field)?.value : null;
  return { verb: name, node: written ?? query.node };
}

/** Null when unknown. */
export function findResultFields(
  definition: Definition,
  query: DocumentQuery,
  registry: Registry,
): readonly string[] | null {
  for (const { place, spec } of listQueryPlugins(definition, query, registry)) {
    const names = place.sound ? spec.answers?.(place) : null;
    if (names !== null && names !== undefined) return names;
  }
  return null;
}
