/** Payload fields without a rule: path parameters, fields of accessors (required), and bare names (null if absent). */
import type { ApiField } from '../../../contract/api.js';
import { listPathParameters } from '../../strings/route.js';
import { listClaimReaders, listPayloadReaders } from '../../analysis/checks/readers.js';
import type { AccessorText } from '../../analysis/facts.js';
import { isInside } from '../../analysis/report.js';
import type { ActionModel, ResourceModel } from '../../analysis/model.js';
import { ANY } from '../../../contract/forms.js';
import { getNodeText } from '../../analysis/node-text.js';
import type { Scope } from './scope.js';
import { listTexts } from './accessor-texts.js';

const TEXT: ApiField = { schema: { type: 'string' }, required: true };

export function listPayloadFields(
  { registry, resources, input }: Scope,
  resource: ResourceModel,
  sequence: readonly ActionModel[],
): Map<string, ApiField> {
  const found = new Map<string, ApiField>();
  const roots = listPayloadReaders(registry);
  // With a compatibility profile, a missing field is NULL instead of an error.
  const required = input.config.profile === null;
  for (const action of sequence) {
    // In a repeated statement, names refer to its items first.
    if (action.repeat !== null) continue;
    const owner = resources.get(action.resource) ?? resource;
    const isMade = (name: string): boolean => owner.sources.read(name, action.key).sort !== 'payload';
    for (const name of listReadNames(listTexts(action), roots)) {
      if (!isMade(name)) found.set(name, { schema: ANY, required });
    }
    for (const [pointer, { source, from }] of action.parameters) {
      if (source !== 'name' || from !== 'payload') continue;
      const name = getNodeText(action, pointer).split('.')[0] ?? '';
      if (name !== '' && !found.has(name)) found.set(name, { schema: ANY, required: false });
    }
  }
  for (const name of listReadNames(listTexts(null, resource, resource.actions), roots)) {
    if (!resource.names.has(name) && !resource.generated.has(name)) found.set(name, { schema: ANY, required });
  }
  for (const name of listPathParameters(resource.path)) found.set(name, TEXT);
  return found;
}

const listReadNames = (texts: readonly AccessorText[], roots: readonly string[]): string[] =>
  texts.flatMap(({ parts }) =>
    parts.flatMap(({ root, tail: [name] }) => (name !== undefined && roots.includes(root) ? [name] : [])),
  );

/** True if a value of this actionable is a claim of the caller's token. */
export function hasClaimReads({ registry }: Scope, { definition, node, parameters }: ActionModel): boolean {
  const roots = listClaimReaders(registry);
  return (
    [...parameters.values()].some(({ from }) => from === 'claim') ||
    definition.finds.accessors.some(
      (text) => isInside(text.node, node) && text.parts.some(({ root }) => roots.includes(root)),
    )
  );
}
