/** Determines the list that a query repeats over: the named one, else the only one, else the body. */
import { isObject, type Json } from '../../contract/json.js';
import { listPathParameters } from '../strings/route.js';
import { findNearest } from '../source/suggest.js';
import type { LocatedNode } from '../source/tree.js';
import type { LinkedAction, LinkedResource } from './linked-resource.js';
import type { Declaration } from './facts.js';
import type { RepeatModel } from './model.js';
import type { Registry } from './registry.js';
import { formatHint, createRenameFix, type Report, isInside } from './report.js';

export function linkRepeats(resources: readonly LinkedResource[], registry: Registry, report: Report): void {
  for (const resource of resources) {
    const { statements, documents } = resource.definition.finds;
    for (const { each, node } of [...statements, ...documents]) {
      const action = each && resource.actions.find((candidate) => isInside(node, candidate.node));
      if (!action) continue;
      action.repeat =
        each.type === 'string'
          ? resolveNamedRepeat(resource, action, each, registry, report)
          : resolveImplicitRepeat(resource, action, each, registry, report);
    }
  }
}

const toLocation = ({ definition: { doc } }: LinkedResource, { start, end }: LocatedNode) => ({ doc, start, end });

function resolveNamedRepeat(
  resource: LinkedResource,
  action: LinkedAction,
  node: LocatedNode,
  registry: Registry,
  report: Report,
): RepeatModel | null {
  const name = String(node.scalar);
  const [root = name, ...rest] = name.split('.');
  if (resource.names.has(root)) {
    action.parameters.set(node.pointer, { source: 'name', from: 'extracted' });
    // The name may come from any list result.
    const outputs = resource.actions.flatMap((other) => listFacts(resource, other, registry)?.outputs ?? []);
    return { from: 'extracted', body: false, name, action: null, fields: outputs.length > 0 ? outputs : null };
  }
  const inPath = listPathParameters(resource.path);
  const fields = [...resource.payloadFields.keys()];
  if (!resource.payloadFields.has(root) && !fields.every((field) => inPath.includes(field))) {
    const near = findNearest(root, [...fields, ...resource.names]);
    report.add('LNK_UNKNOWN_NAME', toLocation(resource, node), { name, hint: formatHint(near) }, createRenameFix(near));
    return null;
  }
  const rule = listDeclarations(resource).find((declared) => declared.name === root)?.value ?? null;
  const list = rest.reduce<Json>((around, segment) => getRuleFields(around)?.[segment] ?? null, rule);
  return { from: 'payload', body: false, name, action: null, fields: listFieldNames(list) };
}

function resolveImplicitRepeat(
  resource: LinkedResource,
  action: LinkedAction,
  node: LocatedNode,
  registry: Registry,
  report: Report,
): RepeatModel {
  const lists = listDeclarations(resource).filter((declared) => isList(resource, declared, registry));
  const own = lists.filter(({ spot }) => isInside(spot, action.node));
  const fromPayload = (own.length > 0 ? own : lists).map(({ name, value }): RepeatModel => ({
    from: 'payload',
    body: true,
    name,
    action: null,
    fields: listFieldNames(value),
  }));
  const candidates = [...findEarlierResult(resource, action, fromPayload, registry), ...fromPayload];
  const [only] = candidates;
  if (candidates.length > 1) {
    const names = candidates.map(({ name, action: key }) => (name === null ? `the result of ${key}` : `"${name}"`));
    report.add('LNK_LIST_UNCLEAR', toLocation(resource, node), { names: names.join(', ') });
  }
  return only ?? { from: 'body', body: true, name: null, action: null, fields: null };
}

const listDeclarations = ({ definition }: LinkedResource): Declaration[] =>
  definition.finds.declarations.filter(({ symbol }) => symbol === 'payload-field');

function isList({ definition }: LinkedResource, { node }: Declaration, registry: Registry): boolean {
  return definition.finds.places.some(
    (place) => place.node === node && registry.plugins.get(place.plugin)?.facts?.jsType === 'array',
  );
}

/** Only if there is no other list. */
function findEarlierResult(
  resource: LinkedResource,
  action: LinkedAction,
  others: readonly RepeatModel[],
  registry: Registry,
): RepeatModel[] {
  const before = resource.actions.slice(0, resource.actions.indexOf(action)).reverse();
  for (const [distance, other] of before.entries()) {
    if (distance > 0 && others.length > 0) return [];
    if (other.noOp && !action.edges.some(({ to }) => to === other.key)) continue;
    const facts = listFacts(resource, other, registry);
    if (facts !== null) return [{ from: 'result', body: false, name: null, action: other.key, fields: facts.outputs }];
  }
  return [];
}

/** The fields of a declared list, else null. */
export function listFacts(
  { definition }: Pick<LinkedResource, 'definition'>,
  action: LinkedAction,
  registry: Registry,
): { readonly outputs: readonly string[] | null } | null {
  const place = definition.finds.places.find(
    ({ node, plugin }) => node === action.node && registry.plugins.get(plugin)?.facts?.lists === true,
  );
  const spec = place && registry.plugins.get(place.plugin);
  if (place === undefined || spec === undefined) return null;
  const { outputs } = spec.facts ?? {};
  const answered = place.sound ? (spec.answers?.(place) ?? null) : null;
  return { outputs: answered ?? (Array.isArray(outputs) ? (outputs as readonly string[]) : null) };
}

const getRuleFields = (rule: Json): Readonly<Record<string, Json>> | null => {
  const fields = isObject(rule) ? rule['fields'] : undefined;
  return isObject(fields) ? fields : null;
};

function listFieldNames(rule: Json): string[] | null {
  const fields = getRuleFields(rule);
  return fields === null ? null : Object.keys(fields);
}
