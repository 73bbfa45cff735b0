/**
 * Collects the error codes of a request: of its plugins, of those they require, and of the kernel. Only a plugin's `never`
 * narrows the list.
 */
import type { ApiPart, ApiRefusal } from '../../../contract/api.js';
import type { PluginSpec } from '../../../contract/plugin.js';
import type { AccessorText } from '../../analysis/finds.js';
import type { ActionModel, ResourceModel } from '../../analysis/model.js';
import { readsClaims } from './payload-names.js';
import { accessorSpec, askPlugin, type Scope, type Told } from './scope.js';
import { textsOf } from './texts.js';

export const refusalsOf = (scope: Scope, all: readonly Told[]): ApiRefusal[] =>
  all.flatMap(({ spec, part }) => {
    const behind = scope.behind(spec).flatMap((other) => own(other.spec, other.part));
    return [...own(spec, part), ...behind.filter(({ code }) => part.never?.includes(code) !== true)];
  });

const NOWHERE = { slot: '', value: {}, holder: {}, resource: null, action: null, payload: () => null } as const;

function own({ errors = {} }: PluginSpec, { refuses }: ApiPart): ApiRefusal[] {
  const listed = refuses ?? Object.keys(errors).filter((code) => errors[code]?.status !== undefined);
  return listed.map((one) => (typeof one === 'string' ? { code: one } : one));
}

export const accessorParts = (scope: Scope, texts: readonly AccessorText[]): Told[] =>
  texts.flatMap(({ parts }) =>
    parts.flatMap(({ root, tail }) => {
      const spec = accessorSpec(scope.registry, root);
      return spec === undefined ? [] : [{ spec, part: askPlugin(scope, spec, { ...NOWHERE, value: { tail } }) }];
    }),
  );

const OF_TEXT: readonly ApiRefusal[] = ['ACC_NOT_TEXT'].map((code) => ({ code }));
const OF_CLAIMS: readonly ApiRefusal[] = ['ACC_CLAIM'].map((code) => ({ code }));

/** Errors from accessors and names of an actionable, or of the resource outside its actionables. */
export function kernelRefusals(
  scope: Scope,
  action: ActionModel | null,
  resource?: ResourceModel,
  sequence: readonly ActionModel[] = [],
): ApiRefusal[] {
  const texts = textsOf(action, resource, sequence);
  const ofAccessors = accessorParts(scope, texts).flatMap(({ spec, part }) => own(spec, part));
  const inText = texts.some(({ parts, node }) => {
    const [first] = parts;
    return first !== undefined && (parts.length > 1 || String(node.scalar).length > first.end - first.start);
  });
  return [
    ...ofAccessors,
    ...(inText ? OF_TEXT : []),
    ...(action !== null && readsClaims(scope, action) ? OF_CLAIMS : []),
  ];
}
