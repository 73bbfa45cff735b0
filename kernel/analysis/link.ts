/**
 * Resolves references to resources, actionables and payload fields within a group.
 * `parameters.ts` resolves the bare strings of parameter lists.
 */
import { nearest } from '../source/suggest.js';
import { reportDoubleActions, reportParameters } from './double.js';
import type { Reference } from './finds.js';
import { readResource, type Given, type LinkedResource } from './linked.js';
import type { Definition } from './model.js';
import { hint, inside, rename, type Report } from './report.js';
import { misspeltRule } from './rule-place.js';

/** `definitions`: all resources of one group. */
export function linkResources(definitions: readonly Definition[], given: Given, report: Report): LinkedResource[] {
  const resources = definitions.map((definition) => readResource(definition, given));
  for (const resource of resources) {
    reportDoubleActions(resource.actions, report);
    reportParameters(resource, report);
  }
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  for (const resource of resources) {
    for (const reference of resource.definition.finds.references) {
      link(resource, reference, { byId, paths: given.paths }, report);
    }
  }
  return resources;
}

interface Known {
  readonly byId: ReadonlyMap<string, LinkedResource>;
  readonly paths: ReadonlyMap<string, string>;
}

function link(resource: LinkedResource, reference: Reference, known: Known, report: Report): void {
  const { symbol } = reference.refers;
  if (symbol === 'resource') linkResource(reference, known.paths, report);
  if (symbol === 'action') linkAction(resource, reference, known.byId, report);
  if (symbol === 'payload-field' && reference.refers.named !== true) linkPayloadField(resource, reference, report);
}

/** Rules are optional, but an undeclared name may be misspelt. `checks/protections.ts` checks protected fields. */
function linkPayloadField(resource: LinkedResource, reference: Reference, report: Report): void {
  const { payloadFields } = resource;
  const { name, spot } = reference;
  const path = String(name);
  const [field = path, ...rest] = path.split('.');
  if (payloadFields.has(field)) return;
  const near = nearest(field, payloadFields.keys());
  const meant = near === undefined ? undefined : [near, ...rest].join('.');
  const fix = misspeltRule(resource, { use: reference, name: field, near }) ?? rename(meant);
  report.add('LNK_NO_RULE', spot, { name: field, hint: hint(meant) }, fix);
}

/** Names that other systems use for the resource itself. */
const OWN_WORDS: ReadonlySet<string> = new Set(['this', 'own', 'current', 'me', 'same', '$self', 'self_']);

function linkResource(reference: Reference, paths: ReadonlyMap<string, string>, report: Report): void {
  const name = String(reference.name);
  if (name === 'self' || paths.has(name)) return;
  const byPath = [...paths].find(([, path]) => path === name)?.[0];
  const near = byPath ?? (OWN_WORDS.has(name.toLowerCase()) ? 'self' : nearest(name, ['self', ...paths.keys()]));
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
    // An actionable cannot refer to itself.
    const [only, other] = target.actions.filter(({ node }) => !inside(reference.node, node));
    const fix =
      only === undefined || other !== undefined
        ? {}
        : { fix: { title: `change to ${only.id}`, text: String(only.id) } };
    report.add('LNK_UNKNOWN_ACTION', reference.spot, { resource: target.id, name: reference.name, expected }, fix);
    return;
  }
  if (reference.refers.edge !== true) return;
  const from = resource.actions.find((action) => inside(reference.node, action.node));
  const { spot, node, refers } = reference;
  from?.edges.push({ to: found.key, spot, pointer: node.pointer, feeds: refers.feeds === true });
}
