/** Reads a resource and its actionables for linking. Reports nothing. */
import { findMember, type LocatedNode } from '../source/tree.js';
import type { Definition, PayloadField } from './model.js';
import type { LinkContext, LinkedResource, LinkedAction } from './linked-resource.js';
import { asText, isObject, type Json } from '../../contract/json.js';
import type { SymbolKind } from '../../contract/field-meta.js';
import { getRootName, createSources } from './sources.js';
import { isInside } from './report.js';
import { listCollections } from './tables.js';
import { NO_INDIRECT_USES } from './stored-objects.js';
import type { Registry } from './registry.js';
import type { Timing } from '../../contract/plugin.js';
import { listPathParameters } from '../strings/route.js';

const getScalar = (node: LocatedNode, key: string): unknown => findMember(node, key)?.value?.scalar ?? undefined;

/** Edges and parameter decisions are still empty. */
export function readResource(definition: Definition, given: LinkContext): LinkedResource {
  const id = asText(getScalar(definition.node, 'id'));
  const items = findMember(definition.node, 'actionables')?.value?.items ?? [];
  const listDeclared = (symbol: SymbolKind): Set<string> =>
    new Set(definition.finds.declarations.flatMap((found) => (found.symbol === symbol ? [found.name] : [])));
  const actions = items.flatMap((node, index) => readAction(definition, id, node, index, given));
  const resource = {
    id,
    path: asText(getScalar(definition.node, 'resource')),
    definition,
    actions,
    names: listDeclared('name'),
    generated: listDeclared('generated'),
    claims: new Set([...listDeclared('claim')].map(getRootName)),
    payloadFields: readPayloadFields(definition),
  };
  return { ...resource, sources: createSources(resource, given.registry) };
}

function readAction(
  definition: Definition,
  resource: string,
  node: LocatedNode,
  index: number,
  { tables, registry }: LinkContext,
): LinkedAction[] {
  const idNode = findMember(node, 'id')?.value;
  if (idNode?.type !== 'number') return [];
  const id = Number(idNode.scalar);
  const models = new Set<string>();
  for (const statement of definition.finds.statements) {
    if (!isInside(statement.node, node)) continue;
    for (const table of statement.scan.tables) {
      const model = tables.findModel(table.name);
      if (model !== undefined) models.add(model);
    }
  }
  for (const query of definition.finds.documents) {
    if (!isInside(query.node, node)) continue;
    for (const { name } of listCollections(query)) {
      const model = tables.findModel(name);
      if (model !== undefined) models.add(model);
    }
  }
  return [
    {
      key: createActionKey(resource, id),
      id,
      index,
      node,
      spot: { doc: definition.doc, start: idNode.start, end: idNode.end },
      noOp: getScalar(node, 'no_op') === true,
      main: getScalar(node, 'main_returnable') === true,
      timing: readTiming(definition, node, registry),
      parallel: [node, definition.node].some((holder) => getScalar(holder, 'parallel') === true),
      models: [...models],
      parameters: new Map(),
      repeat: null,
      secrets: [],
      secretModels: [],
      behind: NO_INDIRECT_USES,
      edges: [],
    },
  ];
}

/** A schedule applies only to the actionable that declares it. */
function readTiming({ node: root, finds }: Definition, node: LocatedNode, registry: Registry): Timing {
  const listTimings = (where: LocatedNode) =>
    finds.places.flatMap((place) =>
      place.node === where ? (registry.plugins.get(place.plugin)?.timing?.(place) ?? []) : [],
    );
  const [here, above] = [listTimings(node), listTimings(root)];
  const own = here.includes('later');
  return { scheduled: here.includes('scheduled'), later: own || above.includes('later'), own };
}

export const createActionKey = (resource: string, id: number | string): string => `${resource}#${id}`;

/** Includes path parameters, because every payload contains them. */
export function readPayloadFields(definition: Definition): Map<string, PayloadField> {
  const path = asText(getScalar(definition.node, 'resource'));
  const fields = new Map<string, PayloadField>();
  for (const name of listPathParameters(path)) fields.set(name, { name, optional: false, fields: NO_FIELDS });
  for (const { symbol, name, value } of definition.finds.declarations) {
    if (symbol === 'payload-field') fields.set(name, createPayloadField(name, value));
  }
  return fields;
}

const NO_FIELDS: ReadonlyMap<string, PayloadField> = new Map();

/** Rules may nest to any depth. */
function createPayloadField(name: string, value: Json): PayloadField {
  const rule = isObject(value) ? value : {};
  const inside = isObject(rule['fields']) ? Object.entries(rule['fields']) : [];
  return {
    name,
    optional: rule['optional'] === true,
    fields:
      inside.length === 0 ? NO_FIELDS : new Map(inside.map(([key, inner]) => [key, createPayloadField(key, inner)])),
  };
}
