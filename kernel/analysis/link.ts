/**
 * Resolves what names mean across files: ids and paths of resources, and actionables named by dependencies. Reports what
 * is missing or double; what bare strings in parameter lists mean is settled in `parameters.ts`.
 */
import { asText, isObject, POISON_KEYS, type Json } from '../contract/json.js';
import type { SymbolKind } from '../schema/meta.js';
import { parameterSpans, pathParameters, pathShape } from '../language/route.js';
import { offsetInString } from '../source/escapes.js';
import { nearest } from '../source/suggest.js';
import { memberOf, toJson, type LocatedNode } from '../source/tree.js';
import type { Definition, ParameterDecision, PayloadField, RepeatModel } from './model.js';
import { hint, rename, type Report, type Span, type Spot } from './report.js';
import type { TableNames } from './tables.js';
import type { Reference } from './finds.js';

/** A resource while it is being linked. */
export interface LinkedResource {
  readonly id: string;
  readonly path: string;
  readonly definition: Definition;
  readonly actions: readonly LinkedAction[];
  readonly payloadFields: ReadonlyMap<string, PayloadField>;
  /** Names taken out of results. */
  readonly names: ReadonlySet<string>;
  /** Names whose values are made once per request. */
  readonly generated: ReadonlySet<string>;
  /** Claims of the token that the resource demands. */
  readonly claims: ReadonlySet<string>;
}

export interface LinkedAction {
  readonly key: string;
  readonly id: number;
  /** Index in `actionables`. */
  readonly index: number;
  readonly node: LocatedNode;
  readonly spot: Spot;
  readonly noOp: boolean;
  readonly main: boolean;
  readonly parallel: boolean;
  readonly models: readonly string[];
  readonly parameters: Map<string, ParameterDecision>;
  /** The list that the statement is repeated for; set by `repeats.ts`. */
  repeat: RepeatModel | null;
  /** `pointer`: where the other one is named; `feeds`: names here take their values from there. */
  readonly edges: {
    readonly to: string;
    readonly spot: Spot;
    readonly pointer: string;
    readonly feeds: boolean;
  }[];
}

const scalarOf = (node: LocatedNode, key: string): unknown => memberOf(node, key)?.value?.scalar ?? undefined;

export function linkResources(
  definitions: readonly Definition[],
  tables: TableNames,
  report: Report,
): LinkedResource[] {
  const resources = definitions.filter((d) => d.sort === 'resource').map((d) => readResource(d, tables, report));
  reportTaken(resources, report);
  for (const resource of resources) reportParameters(resource, report);
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  for (const resource of resources) {
    for (const reference of resource.definition.finds.references) link(resource, reference, byId, report);
  }
  return resources;
}

function readResource(definition: Definition, tables: TableNames, report: Report): LinkedResource {
  const id = asText(scalarOf(definition.node, 'id'));
  const items = memberOf(definition.node, 'actionables')?.value?.items ?? [];
  const declared = (symbol: SymbolKind): Set<string> =>
    new Set(definition.finds.declarations.flatMap((found) => (found.symbol === symbol ? [found.name] : [])));
  const actions = items.flatMap((node, index) => readAction(definition, id, node, index, tables));
  reportDoubleActions(actions, report);
  return {
    id,
    path: asText(scalarOf(definition.node, 'resource')),
    definition,
    actions,
    names: declared('name'),
    generated: declared('generated'),
    claims: declared('claim'),
    payloadFields: readPayloadFields(definition),
  };
}

function readAction(
  definition: Definition,
  resource: string,
  node: LocatedNode,
  index: number,
  tables: TableNames,
): LinkedAction[] {
  const idNode = memberOf(node, 'id')?.value;
  if (idNode?.type !== 'number') return [];
  const id = Number(idNode.scalar);
  const models = new Set<string>();
  for (const statement of definition.finds.statements) {
    if (!inside(statement.node, node)) continue;
    for (const table of statement.scan.tables) {
      const model = tables.modelOf(table.name);
      if (model !== undefined) models.add(model);
    }
  }
  return [
    {
      key: actionKey(resource, id),
      id,
      index,
      node,
      spot: { doc: definition.doc, start: idNode.start, end: idNode.end },
      noOp: scalarOf(node, 'no_op') === true,
      main: scalarOf(node, 'main_returnable') === true,
      parallel: [node, definition.node].some((holder) => scalarOf(holder, 'parallel') === true),
      models: [...models],
      parameters: new Map(),
      repeat: null,
      edges: [],
    },
  ];
}

export const actionKey = (resource: string, id: number | string): string => `${resource}#${id}`;

export const inside = (inner: Span, outer: Span): boolean => inner.start >= outer.start && inner.end <= outer.end;

function readPayloadFields(definition: Definition): Map<string, PayloadField> {
  const path = asText(scalarOf(definition.node, 'resource'));
  const fields = new Map<string, PayloadField>();
  for (const name of pathParameters(path)) fields.set(name, { name, optional: false, fields: NO_FIELDS });
  for (const { symbol, name, value } of definition.finds.declarations) {
    if (symbol === 'payload-field') fields.set(name, payloadField(name, value));
  }
  return fields;
}

const NO_FIELDS: ReadonlyMap<string, PayloadField> = new Map();

/** A rule may have rules for what is inside, to any depth. */
function payloadField(name: string, value: Json): PayloadField {
  const rule = isObject(value) ? value : {};
  const inside = isObject(rule['fields']) ? Object.entries(rule['fields']) : [];
  return {
    name,
    optional: rule['optional'] === true,
    fields: inside.length === 0 ? NO_FIELDS : new Map(inside.map(([key, inner]) => [key, payloadField(key, inner)])),
  };
}

function reportDoubleActions(actions: readonly LinkedAction[], report: Report): void {
  const seen = new Map<number, LinkedAction>();
  let main: LinkedAction | undefined;
  for (const action of actions) {
    const first = seen.get(action.id);
    if (first === undefined) seen.set(action.id, action);
    else {
      const related = [{ message: `actionable ${action.id} stands here first`, spot: first.spot }];
      report.add('LNK_DUPLICATE_ACTION', action.spot, { name: action.id }, { related });
    }
    if (!action.main) continue;
    if (main === undefined) main = action;
    else {
      const member = memberOf(action.node, 'main_returnable');
      const span = member === undefined ? action.spot : { start: member.keyStart, end: member.keyEnd };
      const related = [{ message: `actionable ${main.id} is the main one`, spot: main.spot }];
      report.add('LNK_MAIN_TWICE', { doc: action.spot.doc, start: span.start, end: span.end }, {}, { related });
    }
  }
}

/** Ids are unique; so are paths; and because a resource answers under both, an id may not be another's path. */
function reportTaken(resources: readonly LinkedResource[], report: Report): void {
  const ids = new Map<string, Spot>();
  const paths = new Map<string, { id: string; spot: Spot }>();
  for (const resource of resources) {
    const idSpot = valueSpot(resource, 'id');
    const pathSpot = valueSpot(resource, 'resource');
    const first = ids.get(resource.id);
    if (idSpot !== null && resource.id !== '') {
      if (first === undefined) ids.set(resource.id, idSpot);
      else {
        const related = [{ message: `"${resource.id}" is used here first`, spot: first }];
        report.add('LNK_DUPLICATE_ID', idSpot, { name: resource.id }, { related });
      }
    }
    for (const [path, spot] of [
      [resource.path, pathSpot],
      [resource.id, idSpot],
    ] as const) {
      if (spot === null || path === '') continue;
      const shape = pathShape(path);
      const taken = paths.get(shape);
      if (taken === undefined) paths.set(shape, { id: resource.id, spot });
      else if (taken.id !== resource.id) {
        const related = [{ message: `"${path}" is used here first`, spot: taken.spot }];
        report.add('LNK_DUPLICATE_PATH', spot, { name: path, other: taken.id }, { related });
      }
    }
  }
}

/** A parameter stands once in its path, under a name that a payload may have. */
function reportParameters(resource: LinkedResource, report: Report): void {
  const spot = valueSpot(resource, 'resource');
  const node = memberOf(resource.definition.node, 'resource')?.value;
  if (spot === null || node === undefined || node === null) return;
  const seen = new Set<string>();
  for (const { name, start, end } of parameterSpans(resource.path)) {
    const here = {
      ...spot,
      start: offsetInString(spot.doc, node, start),
      end: offsetInString(spot.doc, node, end),
    };
    if (POISON_KEYS.has(name)) report.add('ACC_POISON', here, { segment: name });
    else if (seen.has(name)) report.add('LNK_DUPLICATE_PARAMETER', here, { name });
    seen.add(name);
  }
}

function valueSpot(resource: LinkedResource, key: string): Spot | null {
  const node = memberOf(resource.definition.node, key)?.value;
  return node?.type === 'string' ? { doc: resource.definition.doc, start: node.start, end: node.end } : null;
}

function link(
  resource: LinkedResource,
  reference: Reference,
  byId: ReadonlyMap<string, LinkedResource>,
  report: Report,
): void {
  const { symbol } = reference.refers;
  if (symbol === 'resource') linkResource(reference, byId, report);
  if (symbol === 'action') linkAction(resource, reference, byId, report);
  if (symbol === 'payload-field') linkPayloadField(resource, reference, report);
}

/** Nobody has to write rules; a name that no rule knows may still be misspelt. */
function linkPayloadField(
  { payloadFields, names }: LinkedResource,
  { name, spot, refers }: Reference,
  report: Report,
): void {
  const path = String(name);
  const [field = path, ...rest] = path.split('.');
  if (payloadFields.has(field) || (refers.named === true && names.has(field))) return;
  const near = nearest(field, payloadFields.keys());
  const meant = near === undefined ? undefined : [near, ...rest].join('.');
  report.add('LNK_NO_RULE', spot, { name: field, hint: hint(meant) }, rename(meant));
}

function linkResource(reference: Reference, byId: ReadonlyMap<string, LinkedResource>, report: Report): void {
  const name = String(reference.name);
  if (name === 'self' || byId.has(name)) return;
  const byPath = [...byId.values()].find((resource) => resource.path === name);
  const near = byPath?.id ?? nearest(name, ['self', ...byId.keys()]);
  report.add('LNK_UNKNOWN_RESOURCE', reference.spot, { name, hint: hint(near) }, rename(near));
}

function linkAction(
  resource: LinkedResource,
  reference: Reference,
  byId: ReadonlyMap<string, LinkedResource>,
  report: Report,
): void {
  const owner = reference.within?.name ?? 'self';
  const target = owner === 'self' ? resource : byId.get(owner);
  if (target === undefined) return;
  const found = target.actions.find((action) => action.id === reference.name);
  if (found === undefined) {
    const expected = target.actions.map((action) => action.id).join(', ') || 'none';
    report.add('LNK_UNKNOWN_ACTION', reference.spot, { resource: target.id, name: reference.name, expected });
    return;
  }
  if (reference.refers.edge !== true) return;
  const from = resource.actions.find((action) => inside(reference.node, action.node));
  const { spot, node, refers } = reference;
  from?.edges.push({ to: found.key, spot, pointer: node.pointer, feeds: refers.feeds === true });
}

/** The plain object of an actionable or resource. */
export const objectOf = (node: LocatedNode): Readonly<Record<string, Json>> => {
  const json = toJson(node);
  return isObject(json) ? json : {};
};
