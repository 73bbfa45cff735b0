/** Selects the SQL statements without known errors, for a database to check. */
import { toJsonObject, type LocatedNode } from '../source/tree.js';
import { isSingleStatement } from './checks/statements.js';
import type { LinkedResource } from './linked-resource.js';
import type { Definition, CheckableStatement, CheckableQuery } from './model.js';
import type { Registry } from './registry.js';
import { isInside, type PendingProblem } from './report.js';
import type { Stores } from './stores.js';
import { isVerbatim, getLiteralValue } from './verbatim.js';

export function listCheckableQueries(
  definitions: readonly Definition[],
  stores: Stores,
  registry: Registry,
  rows: readonly PendingProblem[],
): CheckableQuery[] {
  const errors = rows.filter(({ severity }) => severity === 'error');
  return definitions.flatMap((definition) => {
    const { doc, finds } = definition;
    const wrong = errors.filter(({ spot }) => spot.doc === doc);
    return stores.listPlacedQueries(definition).flatMap(({ query, place }): CheckableQuery[] => {
      if ('scan' in query || wrong.some(({ spot }) => isInside(spot, query.around))) return [];
      const usages = finds.places.filter(({ node }) => node === query.around);
      const usage = usages.find(({ plugin }) => {
        const kind = registry.plugins.get(plugin)?.kind ?? '';
        return registry.kind(kind)?.select.by === 'key';
      });
      if (usage === undefined || usages.some(({ sound }) => !sound)) return [];
      return [{ query, plugin: usage.plugin, place, value: toJsonObject(query.around), instance: place.instance }];
    });
  });
}

export function listCheckableStatements(
  definitions: readonly Definition[],
  linked: readonly LinkedResource[],
  stores: Stores,
  rows: readonly PendingProblem[],
): CheckableStatement[] {
  const errors = rows.filter(({ severity }) => severity === 'error');
  const resources = new Map(linked.map((resource) => [resource.definition, resource]));
  return definitions.flatMap((definition) => {
    const wrong = errors.filter(({ spot }) => spot.doc === definition.doc);
    return stores.listPlacedQueries(definition).flatMap(({ query, place, syntax, models }) => {
      if (!('scan' in query) || !isSingleStatement(query)) return [];
      const whole = query.around ?? query.node;
      if (wrong.some(({ spot }) => isInside(spot, whole))) return [];
      const resource = resources.get(definition);
      const values = query.parameters.map((node) => findConstantValue(node, resource));
      return [{ statement: query, text: query.scan.text, values, place, syntax, models }];
    });
  });
}

/** Null for request values, objects and lists. */
function findConstantValue(node: LocatedNode, resource: LinkedResource | undefined): string | null {
  const value = getLiteralValue(node);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return null;
  const decisions = resource?.actions.flatMap(({ parameters }) => parameters.get(node.pointer) ?? []) ?? [];
  return isVerbatim(node) || decisions[0]?.source === 'literal' ? value : null;
}
