/** Resolves references within a group. `parameters.ts` resolves the bare strings of parameter lists. */
import { findNearest } from '../source/suggest.js';
import { reportDuplicateActions, reportParameters } from './duplicates.js';
import type { Reference } from './facts.js';
import type { LinkContext, LinkedResource } from './linked-resource.js';
import { readResource } from './read-resource.js';
import type { Definition } from './model.js';
import { formatHint, isInside, createRenameFix, type Report } from './report.js';
import { suggestRuleRename } from './rule-location.js';

/** `definitions`: all resources of one group. */
export function linkResources(
  definitions: readonly Definition[],
  given: LinkContext,
  report: Report,
): LinkedResource[] {
  const resources = definitions.map((definition) => readResource(definition, given));
  for (const resource of resources) {
    reportDuplicateActions(resource.actions, report);
    reportParameters(resource, report);
  }
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  for (const resource of resources) {
    for (const reference of resource.definition.finds.references) {
      linkReference(resource, reference, { byId, paths: given.paths }, report);
    }
  }
  return resources;
}

interface LinkTargets {
  readonly byId: ReadonlyMap<string, LinkedResource>;
  readonly paths: ReadonlyMap<string, string>;
}

function linkReference(resource: LinkedResource, reference: Reference, known: LinkTargets, report: Report): void {
  const { symbol } = reference.refers;
  if (symbol === 'resource') linkResource(reference, known.paths, report);
  if (symbol === 'action') linkAction(resource, reference, known.byId, report);
  if (symbol === 'payload-field' && reference.refers.named !== true) linkPayloadField(resource, reference, report);
}

/** An undeclared name may be misspelt. `checks/protections.ts` checks protected fields. */
function linkPayloadField(resource: LinkedResource, reference: Reference, report: Report): void {
  const { payloadFields } = resource;
  const { name, spot } = reference;
  const path = String(name);
  const [field = path, ...rest] = path.split('.');
  if (payloadFields.has(field)) return;
  const near = findNearest(field, payloadFields.keys());
  const intended = near === undefined ? undefined : [near, ...rest].join('.');
  const fix = suggestRuleRename(resource, { use: reference, name: field, near }) ?? createRenameFix(intended);
  report.add('LNK_NO_RULE', spot, { name: field, hint: formatHint(intended) }, fix);
}

/** Names that other systems use for the resource itself. */
const OWN_WORDS: ReadonlySet<string> = new Set(['this', 'own', 'current', 'me', 'same', '$self', 'self_']);

function linkResource(reference: Reference, paths: ReadonlyMap<string, string>, report: Report): void {
  const name = String(reference.name);
  if (name === 'self' || paths.has(name)) return;
  const byPath = [...paths].find(([, path]) => path === name)?.[0];
  const near = byPath ?? (OWN_WORDS.has(name.toLowerCase()) ? 'self' : findNearest(name, ['self', ...paths.keys()]));
  report.add('LNK_UNKNOWN_RESOURCE', reference.spot, { name, hint: formatHint(near) }, createRenameFix(near));
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
    const [only, other] = target.actions.filter(({ node }) => !isInside(reference.node, node));
    const fix =
      only === undefined || other !== undefined
        ? {}
        : { fix: { title: `change to ${only.id}`, text: String(only.id) } };
    report.add('LNK_UNKNOWN_ACTION', reference.spot, { resource: target.id, name: reference.name, expected }, fix);
    return;
  }
  if (reference.refers.edge !== true) return;
  const from = resource.actions.find((action) => isInside(reference.node, action.node));
  const { spot, node, refers } = reference;
  from?.edges.push({ to: found.key, spot, pointer: node.pointer, feeds: refers.feeds === true });
}
