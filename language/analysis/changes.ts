/** Reads from plugin specs whether a document query modifies existing documents, and its result fields. */
import type { PluginSpec } from '../../contract/plugin.js';
import { memberOf, type LocatedNode } from '../source/tree.js';
import type { DocumentQuery, PluginPlace } from './finds.js';
import type { Definition } from './model.js';
import type { Registry } from './registry.js';

interface Said {
  readonly place: PluginPlace;
  readonly spec: PluginSpec;
}

/** Plugins with fields in the query's own object. */
const saidOf = ({ finds }: Definition, { around }: DocumentQuery, { plugins }: Registry): Said[] =>
  finds.places.flatMap((place) => {
    const spec = place.node === around ? plugins.get(place.plugin) : undefined;
    return spec === undefined ? [] : [{ place, spec }];
  });

export interface Change {
  /** The plugin's name in definitions. */
  readonly verb: string;
  /** The selecting field of the plugin, else the query. */
  readonly node: LocatedNode;
}

export function changeIn(definition: Definition, query: DocumentQuery, registry: Registry): Change | null {
  const said = saidOf(definition, query, registry).find(({ spec }) => spec.facts?.['changes'] === true);
  if (said === undefined) return null;
  const { kind, name } = said.spec;
  const select = registry.kind(kind)?.select;
  const written = select?.by === 'field' ? memberOf(query.around, select.field)?.value : null;
  return { verb: name, node: written ?? query.node };
}

/** Null when unknown. */
export function answersOf(definition: Definition, query: DocumentQuery, registry: Registry): readonly string[] | null {
  for (const { place, spec } of saidOf(definition, query, registry)) {
    const names = place.sound ? spec.answers?.(place) : null;
    if (names !== null && names !== undefined) return names;
  }
  return null;
}
