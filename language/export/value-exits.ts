/** Where the values of a column leave the project: in responses, messages and tokens (`value-flow.ts`). */
import { createRequestShape, type RequestShape } from './openapi/request.js';
import type { Reference } from '../analysis/facts.js';
import type { LinkedAction, LinkedResource } from '../analysis/linked-resource.js';
import { isInside } from '../analysis/report.js';
import { findMember } from '../source/tree.js';
import { listHeldNames, locateNode, type FlowKind, type FlowStep, type Trace } from './value-trace.js';

/** The kinds by which a value leaves the project. */
export const LEAVING: ReadonlySet<FlowKind> = new Set(['answered', 'broadcast', 'issued', 'sent']);

/** The names that are returned of the result, or by the resource; null: all of them. */
function listReturned(
  { definition, actions }: LinkedResource,
  action: LinkedAction | null,
): readonly Reference[] | null {
  const found = definition.finds.references.filter(({ refers, node }) => {
    const owner = actions.find((one) => isInside(node, one.node)) ?? null;
    return refers.symbol === 'value' && refers.extracted !== true && owner === action;
  });
  return found.length === 0 ? null : found;
}

const toNames = (references: readonly Reference[] | null): readonly string[] | null =>
  references?.map(({ name }) => String(name)) ?? null;

const isListed = (names: readonly string[] | null, held: string): boolean =>
  names === null || names.some((name) => held === name || held.startsWith(`${name}.`) || name.startsWith(`${held}.`));

export function traceMessages(trace: Trace, resource: LinkedResource, action: LinkedAction): FlowStep[] {
  const { definition } = resource;
  const events = definition.finds.sharedNames.filter(
    ({ symbol, node }) => symbol === 'event' && isInside(node, action.node),
  );
  if (events.length === 0) return [];
  const listed = toNames(listReturned(resource, action) ?? listReturned(resource, null));
  const isHidden = listed === null && isProtected(trace);
  const name = isHidden ? undefined : listHeldNames(trace, resource, action).find((held) => isListed(listed, held));
  return name === undefined
    ? []
    : events.map(({ name: event, node }) => ({
        kind: 'broadcast',
        place: action.key,
        name,
        detail: `connected clients, as ${event}`,
        spot: locateNode(resource, node),
      }));
}

/** Left out of what is returned unless it is listed. */
const isProtected = ({ input: { analysis }, model, column }: Trace): boolean => {
  const found = analysis.models.find(({ name }) => name === model);
  const field = found?.fields.find(({ name }) => name === column);
  return found?.secrets.has(column) === true || field?.value['secret'] === true;
};

/** In the order in which names of a response are looked up. */
const listResults = ({ actions }: LinkedResource): readonly LinkedAction[] =>
  [...actions].reverse().sort((a, b) => Number(b.main) - Number(a.main));

export function traceAnswer(trace: Trace, resource: LinkedResource): FlowStep[] {
  const { input } = trace;
  const model = input.analysis.resources.find(({ definition }) => definition === resource.definition);
  const isNear =
    resource.names.size > 0 || resource.actions.some((action) => listHeldNames(trace, resource, action).length > 0);
  const shape = model === undefined || !isNear ? null : createRequestShape(input, model);
  if (shape === null || shape.accepted) return [];
  const listed = listReturned(resource, null);
  const names = shape.answers?.names ?? toNames(listed);
  const name = findReturned(trace, resource, names);
  if (name === undefined) return [];
  const entry = listed?.find((one) => String(one.name).split('.')[0] === name.split('.')[0]);
  const id = findMember(resource.definition.node, 'id')?.value ?? resource.definition.node;
  const spot = entry?.spot ?? locateNode(resource, id);
  return [{ kind: 'answered', place: resource.id, name, detail: describeCallers(shape), spot }];
}

function findReturned(trace: Trace, resource: LinkedResource, names: readonly string[] | null): string | undefined {
  const listed = toNames(listReturned(resource, null));
  for (const action of listResults(resource)) {
    const held = listHeldNames(trace, resource, action);
    const found = held.find(
      (name) => isListed(names, name) && (listed === null ? !isProtected(trace) : isListed(listed, name)),
    );
    if (found !== undefined) return found;
  }
  return (names ?? []).find((name) => resource.names.has(name) && trace.flow.isSecretName(resource, name.split('.')));
}

function describeCallers({ ways }: RequestShape): string {
  const guarded = ways.filter((way) => way.length > 0);
  if (guarded.length < ways.length || guarded.length === 0) return 'anyone';
  return `callers with ${[...new Set(guarded.map((way) => way.map(({ header }) => header).join(' and ')))].join(' or ')}`;
}

export function traceClaims(trace: Trace, resource: LinkedResource): FlowStep[] {
  return resource.definition.finds.declarations.flatMap(({ symbol, name, spot }): FlowStep[] => {
    if (symbol !== 'issued-claim') return [];
    const root = name.split('.')[0] ?? name;
    const holder = listResults(resource).some((action) => listHeldNames(trace, resource, action).includes(root));
    const isHeld = holder || (resource.names.has(root) && trace.flow.isSecretName(resource, [root]));
    return isHeld ? [{ kind: 'issued', place: resource.id, name, detail: 'holders of the token', spot }] : [];
  });
}
