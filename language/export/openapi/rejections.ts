/** Where a resource rejects requests, for the coverage of tests. */
import type { ApiError } from '../../../contract/api.js';
import type { PluginUsage } from '../../analysis/facts.js';
import type { ActionModel, ResourceModel } from '../../analysis/model.js';
import { isInside } from '../../analysis/report.js';
import { findMember, type LocatedNode } from '../../source/tree.js';
import { listOwnErrors } from './errors.js';
import { createScope, describePlugin, type OpenapiInput, type Scope } from './scope.js';

export interface Rejection {
  readonly action: ActionModel | null;
  /** The field that refuses, as written. */
  readonly field: string;
  readonly node: LocatedNode;
  /** Any of them covers it; none where the field ends the chain without an error. */
  readonly codes: readonly string[];
  /** A payload field with rules that refuse; null: the codes alone count. */
  readonly payloadField: string | null;
}

export function createRejectionReader(input: OpenapiInput): (resource: ResourceModel) => Rejection[] {
  const scope = createScope(input);
  return (resource) => [
    ...resource.places.flatMap((place) => listRejections(scope, resource, null, place)),
    ...resource.actions.flatMap((action) =>
      action.places.flatMap((place) => listRejections(scope, resource, action, place)),
    ),
  ];
}

/** The code of rules, which each payload field can cause. */
const RULES = 'VAL_PAYLOAD';
const UNIQUE = { field: 'unique', codes: ['QRY_UNIQUE', 'QRY_DUPLICATE'] } as const;
/** Wrong forms and large bodies are no behaviour that a definition describes. */
const UNCOUNTED: ReadonlySet<number> = new Set([413, 422]);

function listRejections(
  scope: Scope,
  resource: ResourceModel,
  action: ActionModel | null,
  place: PluginUsage,
): Rejection[] {
  const { plugin, node, slot, value, holder } = place;
  const spec = scope.registry.plugins.get(plugin);
  if (spec === undefined) return [];
  const part = describePlugin(scope, spec, { slot, value, holder, resource, action, payload: () => null });
  const errors = listOwnErrors(spec, part);
  const codes = errors.filter((error) => isCounted(scope, error)).map(({ code }) => code);
  const field = node.members.find(({ key }) => Object.hasOwn(value, key) || key === spec.name)?.key ?? spec.name;
  const found: Rejection[] = [];
  if (codes.length > 0 || part.ends === true)
    found.push({ action, field, node: findMember(node, field)?.value ?? node, codes, payloadField: null });
  const unique = findMember(node, UNIQUE.field)?.value ?? null;
  if (unique !== null) found.push({ action, ...UNIQUE, node: unique, payloadField: null });
  if (errors.some(({ code }) => code === RULES))
    for (const { symbol, name, node: rule } of resource.definition.finds.declarations)
      if (symbol === 'payload-field' && rule !== null && isInside(rule, node))
        found.push({ action, field: name, node: rule, codes: [RULES], payloadField: name });
  return found;
}

function isCounted({ registry }: Scope, { code, status = registry.codes[code]?.status ?? 500 }: ApiError): boolean {
  return status < 500 && !UNCOUNTED.has(status);
}
