/**
 * The error codes of a request: of its plugins, of those they require, and of the kernel. Only `never` narrows the
 * list.
 */
import type { ApiPart, ApiError } from '../../../contract/api.js';
import type { PluginSpec } from '../../../contract/plugin-spec.js';
import type { AccessorText } from '../../analysis/facts.js';
import type { ActionModel, ResourceModel } from '../../analysis/model.js';
import { hasClaimReads } from './payload-names.js';
import { findAccessorSpec, describePlugin, type Scope, type PluginDescription } from './scope.js';
import { listTexts } from './accessor-texts.js';

export const collectErrors = (scope: Scope, all: readonly PluginDescription[]): ApiError[] =>
  all.flatMap(({ spec, part }) => {
    const behind = scope.behind(spec).flatMap((other) => listOwnErrors(other.spec, other.part));
    return [...listOwnErrors(spec, part), ...behind.filter(({ code }) => part.never?.includes(code) !== true)];
  });

const NOWHERE = { slot: '', value: {}, holder: {}, resource: null, action: null, payload: () => null } as const;

export function listOwnErrors({ errors = {} }: PluginSpec, { refuses }: ApiPart): ApiError[] {
  const listed = refuses ?? Object.keys(errors).filter((code) => errors[code]?.status !== undefined);
  return listed.map((one) => (typeof one === 'string' ? { code: one } : one));
}

export const describeAccessors = (scope: Scope, texts: readonly AccessorText[]): PluginDescription[] =>
  texts.flatMap(({ parts }) =>
    parts.flatMap(({ root, tail }) => {
      const spec = findAccessorSpec(scope.registry, root);
      return spec === undefined ? [] : [{ spec, part: describePlugin(scope, spec, { ...NOWHERE, value: { tail } }) }];
    }),
  );

const OF_TEXT: readonly ApiError[] = ['ACC_NOT_TEXT'].map((code) => ({ code }));
const OF_CLAIMS: readonly ApiError[] = ['ACC_CLAIM'].map((code) => ({ code }));

/** Errors from accessors and names of an actionable, or of the resource outside its actionables. */
export function listKernelErrors(
  scope: Scope,
  action: ActionModel | null,
  resource?: ResourceModel,
  sequence: readonly ActionModel[] = [],
): ApiError[] {
  const texts = listTexts(action, resource, sequence);
  const ofAccessors = describeAccessors(scope, texts).flatMap(({ spec, part }) => listOwnErrors(spec, part));
  const inText = texts.some(({ parts, node }) => {
    const [first] = parts;
    return first !== undefined && (parts.length > 1 || String(node.scalar).length > first.end - first.start);
  });
  return [
    ...ofAccessors,
    ...(inText ? OF_TEXT : []),
    ...(action !== null && hasClaimReads(scope, action) ? OF_CLAIMS : []),
  ];
}
