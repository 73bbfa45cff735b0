/** Describes where a parameter's value comes from. The analysis decides; this module only formats. */
import { isWord } from '../../language/analysis/sources.js';
import { getLiteralValue } from '../../language/analysis/verbatim.js';
import type { ActionModel, ResourceModel } from '../../language/analysis/model.js';
import { listPayloadReaders } from '../../language/analysis/checks/readers.js';
import type { Registry } from '../../language/analysis/registry.js';
import { Slot } from '../../contract/slot.js';
import { listAccessors, type AccessorPart } from '../../language/strings/accessor.js';
import { findDeclaration, resolveRule, ruleText } from '../describe-rules.js';
import type { QueryContext } from './query-context.js';
import type { LocatedNode } from '../../language/source/tree.js';

interface ParameterScope {
  readonly registry: Registry;
  readonly resource: ResourceModel | null;
  readonly action: ActionModel | null;
}

const LONGEST = 40;

/** The value as written, truncated: names and accessors unquoted, everything else as JSON. */
export function formatParameter(node: LocatedNode, { action }: Pick<ParameterScope, 'action'>): string {
  const json = getLiteralValue(node);
  const isPlain = typeof json === 'string' && (listAccessors(json).length > 0 || isName(node, action));
  const text = isPlain ? json : JSON.stringify(json);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** Before the analysis is updated, decides by the form of the text. */
function isName({ pointer, scalar }: LocatedNode, action: ActionModel | null): boolean {
  const decision = action?.parameters.get(pointer);
  return decision === undefined ? isWord(String(scalar)) : decision.source === 'name';
}

/** Returns Markdown without a full stop. */
export function describeParameter(node: LocatedNode, around: ParameterScope): string {
  const json = getLiteralValue(node);
  if (typeof json !== 'string') return `the value ${formatCode(JSON.stringify(json))}`;
  const parts = listAccessors(json);
  const [only] = parts;
  if (only?.start === 0 && only.end === json.length) return describeAccessorValue(only, around);
  if (parts.length > 0) return `text with ${parts.map(({ root }) => formatCode(`$${root}`)).join(', ')} in it`;
  const decision = around.action?.parameters.get(node.pointer);
  // The analysis does not contain the newly typed text yet.
  const from = decision === undefined && isDeclared(json, around) ? 'payload' : decision?.from;
  switch (from) {
    case 'payload':
      return describePayloadField(json, around);
    case 'extracted':
      return `${formatCode(json)}, ${describeExtractedName(json, around)}`;
    case 'output':
      return `${formatCode(json)} of the one item that an earlier actionable gives`;
    case 'generated':
      return `${formatCode(json)}, generated once for each request`;
    case 'claim':
      return `the claim ${formatCode(json)} of the token`;
    default:
      return `the text ${formatCode(JSON.stringify(json))}`;
  }
}

const isDeclared = (name: string, { resource }: ParameterScope): boolean =>
  resource?.payloadFields.has(name.split('.')[0] ?? name) === true;

function describeAccessorValue({ root, tail }: AccessorPart, around: ParameterScope): string {
  const { registry } = around;
  const path = tail.join('.');
  if (listPayloadReaders(registry).includes(root) && path !== '') {
    const isResult = around.resource?.names.has(tail[0] ?? '') === true;
    return isResult
      ? `${formatCode(path)}, ${describeExtractedName(path, around)}`
      : describePayloadField(path, around);
  }
  const kind = registry.listKinds(Slot.ACCESSOR)[0];
  const spec = kind && registry.plugin(kind.kind, root);
  const written = formatCode([`$${root}`, ...tail].join('.'));
  return spec === undefined ? written : `${written}: ${spec.summary.replace(/\.$/, '')}`;
}

function describePayloadField(path: string, { resource, registry }: ParameterScope): string {
  const declared = resource === null ? undefined : findDeclaration(resource, 'payload-field', path);
  const rule = resource === null || declared === undefined ? null : resolveRule(resource, declared, path);
  const words = rule === null ? 'no rule' : ruleText(registry, rule);
  return `the field ${formatCode(path)} of the payload${words === '' ? '' : `: ${words}`}`;
}

/** The actionable that the reference nearest to the declaration names. */
function describeExtractedName(name: string, { resource }: ParameterScope): string {
  const root = name.split('.')[0];
  const { declarations, references } = resource?.definition.finds ?? { declarations: [], references: [] };
  const declared = declarations.find((found) => found.symbol === 'name' && found.name === root);
  const from = declared && pointerAt(resource?.definition.node ?? null, declared.spot.start);
  if (resource === null || from === undefined || from === null) return 'a result of an actionable';
  const actions = references.filter(({ refers }) => refers.symbol === 'action');
  const countSharedSegments = (pointer: string): number => {
    const [a, b] = [pointer.split('/'), from.split('/')];
    const differs = a.findIndex((segment, i) => segment !== b[i]);
    return differs === -1 ? a.length : differs;
  };
  const [nearest] = [...actions].sort(
    (a, b) => countSharedSegments(b.node.pointer) - countSharedSegments(a.node.pointer),
  );
  const user = resource.actions.find(({ node }) => `${from}/`.startsWith(`${node.pointer}/`));
  // An actionable without dependencies reads names from its own result.
  if (nearest === undefined || (user !== undefined && !nearest.node.pointer.startsWith(`${user.node.pointer}/`))) {
    return user === undefined ? 'a result of an actionable' : `taken from the result of actionable ${user.id}`;
  }
  const owner = nearest.within?.name ?? 'self';
  return `taken from the result of actionable ${nearest.name}${owner === 'self' ? '' : ` of ${formatCode(owner)}`}`;
}

function pointerAt(node: LocatedNode | null, offset: number): string | null {
  if (node === null || offset < node.start || offset >= node.end) return null;
  const inner = [...node.items, ...node.members.flatMap(({ value }) => value ?? [])];
  for (const one of inner) {
    const found = pointerAt(one, offset);
    if (found !== null) return found;
  }
  return node.pointer;
}

/** Describes a placeholder; returns an empty string for `$0`. */
export function placeholderMarkdown(
  n: number,
  { parameters, resource, action, field }: QueryContext,
  registry: Registry,
): string {
  const node = parameters[n - 1];
  if (n === 0) return '';
  const list = formatCode(field.meta.binds ?? 'parameters');
  if (node === undefined) return `**$${n}** has no value: ${list} lists ${parameters.length}`;
  const words = describeParameter(node, { registry, resource, action });
  return `**$${n}** is ${words}\n\nEntry ${n} of ${list}`;
}

const formatCode = (text: string): string => `\`${text.replaceAll('`', "'")}\``;
