/** Describes a field's type, bounds and remarks for the reference and editors. */
import type { Registry } from '../analysis/registry.js';
import type { FieldNode } from '../schema/field-node.js';
import type { MemberNames } from '../../contract/field-meta.js';
import { formatCode } from './markdown.js';

/** `link` formats a kind's name, as a link to its page if there is one. */
export interface DescribeContext {
  readonly registry: Registry;
  readonly link: (kind: string) => string;
}

export function describeType(context: DescribeContext, node: FieldNode): string {
  const { meta, inner } = node;
  const slots = node.parts.flatMap((slot) => context.registry.listKinds(slot));
  if (slots.length > 0) return `object: ${slots.map(({ kind }) => context.link(kind)).join(', ')}`;
  if (meta.plugin !== undefined) return `name: ${context.link(meta.plugin)}`;
  const nullable = node.nullable ? ' or null' : '';
  switch (node.type) {
    case 'any':
      return 'any JSON';
    case 'value':
      return inner === null ? 'any JSON with accessors' : `${describeType(context, inner)} or accessor`;
    case 'either':
      return `${node.options.map((form) => describeType(context, form)).join(', or ')}${nullable}`;
    case 'array':
      return `list${inner === null ? '' : ` of ${describeType(context, inner)}`}${nullable}`;
    case 'record':
      return `map${inner === null ? '' : ` to ${describeType(context, inner)}`}${nullable}`;
    case 'number':
      return `${node.bounds.integer === true ? 'whole number' : 'number'}${nullable}`;
    case 'object':
    case 'string':
    case 'boolean':
      return `${node.type === 'boolean' ? 'true or false' : node.type === 'string' ? 'text' : 'object'}${nullable}`;
  }
}

export function describeBounds({ bounds, values, meta, type }: FieldNode): string {
  const { min, max, above, below, length, pattern } = bounds;
  const noun = meta.unit ?? (type === 'string' ? 'characters' : type === 'array' ? 'items' : '');
  const formatCount = (count = 0): string => `${count} ${count === 1 ? noun.replace(/s$/, '') : noun}`.trim();
  const parts: [unknown, string][] = [
    [values, (values ?? []).map((value) => formatCode(JSON.stringify(value))).join(', ')],
    [length, `exactly ${formatCount(length)}`],
    [above, `more than ${formatCount(above)}`],
    [min, `at least ${formatCount(min)}`],
    [max, `at most ${formatCount(max)}`],
    [below, `less than ${formatCount(below)}`],
    [pattern, `matches ${formatCode(pattern ?? '')}`],
  ];
  const written = parts.filter(([bound]) => bound !== undefined && bound !== null).map(([, words]) => words);
  const isBounded = [min, max, above, below].some((bound) => bound !== undefined);
  if (meta.unit !== undefined && !isBounded) written.push(meta.unit);
  return written.join('; ');
}

/** Remarks besides the field's own documentation. */
export function listRemarks({ meta }: FieldNode): string[] {
  const roots =
    meta.roots === undefined ? [] : [`Accessors: ${meta.roots.map((root) => formatCode(`$${root}`)).join(', ')}.`];
  const alone = meta.purpose === undefined ? [] : [`Its variable is for ${meta.purpose} and nothing else.`];
  const offered = meta.complete === undefined ? [] : [`Editors offer names (\`${meta.complete.source}\`).`];
  const members = meta.members === undefined ? [] : [describeMembers(meta.members)];
  return [...roots, ...alone, ...members, ...offered];
}

/** Longer lists of names are summarized by their count. */
const MANY = 30;

function describeMembers({ places }: MemberNames): string {
  const all = Object.values(places);
  const lists = all.map(({ words }) => Object.keys(words ?? {}));
  const names = new Set(lists.filter(({ length }) => length <= MANY).flat());
  const others = new Set(lists.flat().filter((name) => !names.has(name)));
  const fields = all.some((place) => place.fields !== undefined) ? ['fields of the model'] : [];
  const more = others.size === 0 ? '' : `; ${others.size} more are offered and explained by editors`;
  return `Names inside: ${[...fields, ...[...names].map(formatCode)].join(', ')}${more}.`;
}

/** `"a": description`, for each documented value. */
export const describeValues = ({ meta }: FieldNode): string[] =>
  Object.entries(meta.enumDocs ?? {}).map(([value, doc]) => `${formatCode(value)}: ${doc}`);

export const describeDeprecation = ({ meta }: FieldNode): string[] =>
  meta.deprecated === undefined ? [] : [`**Deprecated**: ${meta.deprecated.message}.`];
