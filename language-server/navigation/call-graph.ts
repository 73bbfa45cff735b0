/**
 * What starts what, for the call hierarchy: resources start actionables, actionables start those that they depend on, schedules start
 * actionables, guards need the resource that issues tokens, and what is sent and cached has the name of an event, a room or a key.
 */
import type { SharedKind } from '../../contract/field-meta.js';
import { memoizeWith } from '../../language/analysis/memoize.js';
import { createActionKey } from '../../language/analysis/read-resource.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import type { ActionModel, Definition, ResourceModel } from '../../language/analysis/model.js';
import type { Registry } from '../../language/analysis/registry.js';
import { isInside, type SourceLocation } from '../../language/analysis/report.js';
import { toSharedName } from '../../language/analysis/shared-names.js';
import { getClaimGroups } from '../../language/analysis/symbols/claims.js';
import { locateContent } from '../../language/analysis/symbols/locations.js';
import { getLookup } from '../../language/analysis/symbols/lookup.js';
import { findMember, type LocatedNode } from '../../language/source/tree.js';

export interface CallNode {
  readonly key: string;
  readonly sort: 'resource' | 'action' | 'schedule' | SharedKind;
  /** The id of the resource, the key of the actionable, the text of a name, the schedule. */
  readonly name: string;
  readonly detail: string;
  readonly whole: SourceLocation;
  /** What is selected of it. */
  readonly spot: SourceLocation;
}

export interface Call {
  readonly from: string;
  readonly to: string;
  /** Where the caller names what it calls. */
  readonly spot: SourceLocation;
}

export interface CallGraph {
  readonly nodes: ReadonlyMap<string, CallNode>;
  readonly calls: readonly Call[];
}

export const getCallGraph = memoizeWith((analysis: Analysis, registry: Registry) =>
  createCallGraph(analysis, registry),
);

export const toNodeKey = (sort: CallNode['sort'], name: string): string =>
  `${sort}\n${sort === 'resource' || sort === 'action' || sort === 'schedule' ? name : toSharedName(name)}`;

function createCallGraph(analysis: Analysis, registry: Registry): CallGraph {
  const nodes = new Map<string, CallNode>();
  const calls: Call[] = [];
  const claims = getClaimGroups(analysis, registry);
  const addNode = (node: Omit<CallNode, 'key'>): string => {
    const key = toNodeKey(node.sort, node.name);
    if (!nodes.has(key)) nodes.set(key, { ...node, key });
    return key;
  };
  for (const resource of analysis.resources) {
    const { definition } = resource;
    // If several resources have one id, the first one counts, as in the linking stage.
    if (nodes.has(toNodeKey('resource', resource.id))) continue;
    const own = addNode(describeResource(resource));
    for (const issuer of claims.listIssuersOf(resource)) {
      if (issuer === resource) continue;
      calls.push({ from: own, to: toNodeKey('resource', issuer.id), spot: locateGuard(resource, registry) });
    }
    for (const action of resource.actions) {
      const { key, spot } = describeAction(action, registry);
      addNode(describeAction(action, registry));
      const schedule = findPlugin(action, registry, 'scheduled');
      if (schedule === null) calls.push({ from: own, to: key, spot });
      else {
        const where = locateNode(definition, schedule.value ?? action.node);
        const text = findText(schedule.value) ?? schedule.key;
        const name = `${text} (${action.key})`;
        calls.push({
          from: addNode({ sort: 'schedule', name, detail: 'schedule', whole: where, spot: where }),
          to: key,
          spot: where,
        });
      }
      calls.push(...listDependencies(analysis, action));
    }
    for (const { symbol, name, node } of definition.finds.sharedNames) {
      const spot = locateContent(locateNode(definition, node));
      const action = resource.actions.find((one) => isInside(node, one.node));
      const to = addNode({ sort: symbol, name, detail: DETAILS[symbol], whole: spot, spot });
      calls.push({ from: action === undefined ? own : toNodeKey('action', action.key), to, spot });
    }
  }
  return { nodes, calls: calls.filter(({ to }) => nodes.has(to)) };
}

const DETAILS: Readonly<Record<SharedKind, string>> = { 'cache-key': 'cached entries', room: 'room', event: 'event' };

const locateNode = ({ doc }: Definition, { start, end }: { readonly start: number; readonly end: number }) => ({
  doc,
  start,
  end,
});

const describeResource = ({ id, path, definition }: ResourceModel): Omit<CallNode, 'key'> => ({
  sort: 'resource',
  name: id,
  detail: `/${path}`,
  whole: locateNode(definition, definition.node),
  spot: locateContent(locateNode(definition, findMember(definition.node, 'id')?.value ?? definition.node)),
});

function describeAction(action: ActionModel, registry: Registry): CallNode {
  const { key, mode, definition, node } = action;
  const later = findPlugin(action, registry, 'later');
  return {
    key: toNodeKey('action', key),
    sort: 'action',
    name: key,
    detail: later === null ? mode : `${mode}, deferred by ${later.key}`,
    whole: locateNode(definition, node),
    spot: locateNode(definition, findMember(node, 'id')?.value ?? node),
  };
}

interface Field {
  readonly key: string;
  readonly value: LocatedNode | null;
}

/** The field that makes the actionable, or its whole resource, run at another time. */
function findPlugin({ places, node, definition }: ActionModel, registry: Registry, wanted: string): Field | null {
  for (const holder of [node, ...(wanted === 'later' ? [definition.node] : [])])
    for (const place of holder === node ? places : definition.finds.places) {
      if (place.node !== holder) continue;
      const timing: unknown = registry.plugins.get(place.plugin)?.timing?.(place);
      const isIt = Array.isArray(timing) ? timing.includes(wanted) : timing === wanted;
      const [field] = isIt ? Object.keys(place.value) : [];
      if (field !== undefined) return { key: field, value: findMember(holder, field)?.value ?? null };
    }
  return null;
}

/** The first text in it, such as the expression of a schedule. */
function findText(node: LocatedNode | null): string | undefined {
  const [first] = node?.members ?? [];
  return first?.value?.type === 'string' ? String(first.value.scalar) : undefined;
}

function locateGuard({ definition }: ResourceModel, registry: Registry): SourceLocation {
  const { node, finds } = definition;
  const guard = finds.places.find(
    (place) => place.node === node && registry.plugins.get(place.plugin)?.facts?.identifies === true,
  );
  const [field = 'id'] = Object.keys(guard?.value ?? {});
  const member = findMember(node, field);
  return member === undefined
    ? locateNode(definition, node)
    : locateNode(definition, { start: member.keyStart, end: member.keyEnd });
}

/** References to actionables, and to resources that are not the owners of such. */
function listDependencies(analysis: Analysis, action: ActionModel): Call[] {
  const { resource, definition, node } = action;
  const own = definition.finds.references.filter((one) => isInside(one.node, node));
  const owners = new Set(own.map(({ within }) => within?.node));
  return own.flatMap((reference): Call[] => {
    const { refers, name, spot, within } = reference;
    const from = toNodeKey('action', action.key);
    if (refers.symbol === 'resource') {
      const id = String(name);
      const isTarget = !owners.has(reference.node) && id !== 'self' && getLookup(analysis).resource(id) !== undefined;
      return isTarget ? [{ from, to: toNodeKey('resource', id), spot: locateContent(spot) }] : [];
    }
    if (refers.symbol !== 'action') return [];
    const owner = within === null || within.name === 'self' ? resource : within.name;
    return [{ from, to: toNodeKey('action', createActionKey(owner, name)), spot }];
  });
}
