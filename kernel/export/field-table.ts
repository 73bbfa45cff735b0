/** The fields of a schema as a table: one row for each, nested ones under a dotted path. Reads FieldNodes only. */
import type { Registry } from '../analysis/registry.js';
import type { FieldNode } from '../schema/field-node.js';
import { code, table } from './markdown.js';

const HEAD = ['field', 'type', 'required', 'default', 'bounds', 'meaning'];

/** `link` gives the page of a kind. */
export interface TableContext {
  readonly registry: Registry;
  readonly link: (kind: string) => string;
}

export function fieldTable(context: TableContext, node: FieldNode): string {
  return table(HEAD, rowsIn(context, node, ''));
}

function rowsIn(context: TableContext, node: FieldNode, path: string): string[][] {
  const own = Object.entries(node.fields).flatMap(([name, field]) => {
    const here = path === '' ? name : `${path}.${name}`;
    return [row(context, field, here), ...inside(context, field, here)];
  });
  return own;
}

function inside(context: TableContext, node: FieldNode, path: string): string[][] {
  if (node.type === 'object') return rowsIn(context, node, path);
  if (node.inner === null || node.type === 'value') return [];
  const here = node.type === 'array' ? `${path}[]` : `${path}.*`;
  const nested = inside(context, node.inner, here);
  // An item without a word of its own adds nothing to the row of its list.
  return node.inner.meta.doc === '' || node.inner.meta.doc === node.meta.doc
    ? nested
    : [row(context, node.inner, here), ...nested];
}

function row(context: TableContext, node: FieldNode, path: string): string[] {
  const { meta } = node;
  return [
    code(path),
    typeOf(context, node),
    node.required && !/(\[\]|\.\*)$/.test(path) ? 'yes' : '',
    meta.default === undefined ? '' : code(JSON.stringify(meta.default)),
    boundsOf(node),
    meaningOf(node),
  ];
}

function typeOf(context: TableContext, node: FieldNode): string {
  const { meta, inner } = node;
  const slots = node.parts.flatMap((slot) => context.registry.kindsIn(slot));
  if (slots.length > 0) return `object: ${slots.map(({ kind }) => context.link(kind)).join(', ')}`;
  if (meta.plugin !== undefined) return `name: ${context.link(meta.plugin)}`;
  const nullable = node.nullable ? ' or null' : '';
  switch (node.type) {
    case 'any':
      return 'any JSON';
    case 'value':
      return inner === null ? 'any JSON with accessors' : `${typeOf(context, inner)} or accessor`;
    case 'either':
      return `${node.options.map((form) => typeOf(context, form)).join(', or ')}${nullable}`;
    case 'array':
      return `list${inner === null ? '' : ` of ${typeOf(context, inner)}`}${nullable}`;
    case 'record':
      return `map${inner === null ? '' : ` to ${typeOf(context, inner)}`}${nullable}`;
    case 'number':
      return `${node.bounds.integer === true ? 'whole number' : 'number'}${nullable}`;
    case 'object':
    case 'string':
    case 'boolean':
      return `${node.type === 'boolean' ? 'true or false' : node.type === 'string' ? 'text' : 'object'}${nullable}`;
  }
}

function boundsOf({ bounds, values, meta, type }: FieldNode): string {
  const { min, max, above, below, length, pattern } = bounds;
  const noun = meta.unit ?? (type === 'string' ? 'characters' : type === 'array' ? 'items' : '');
  const counted = (count = 0): string => `${count} ${count === 1 ? noun.replace(/s$/, '') : noun}`.trim();
  const parts: [unknown, string][] = [
    [values, (values ?? []).map((value) => code(JSON.stringify(value))).join(', ')],
    [length, `exactly ${counted(length)}`],
    [above, `more than ${counted(above)}`],
    [min, `at least ${counted(min)}`],
    [max, `at most ${counted(max)}`],
    [below, `less than ${counted(below)}`],
    [pattern, `matches ${code(pattern ?? '')}`],
  ];
  const written = parts.filter(([bound]) => bound !== undefined && bound !== null).map(([, words]) => words);
  const isBounded = [min, max, above, below].some((bound) => bound !== undefined);
  if (meta.unit !== undefined && !isBounded) written.push(meta.unit);
  return written.join('; ');
}

function meaningOf({ meta }: FieldNode): string {
  const values = Object.entries(meta.enumDocs ?? {}).map(([value, doc]) => `${code(value)}: ${doc}`);
  const example = meta.examples?.[0] === undefined ? [] : [`Example: ${code(JSON.stringify(meta.examples[0]))}.`];
  const roots =
    meta.roots === undefined ? [] : [`Accessors: ${meta.roots.map((root) => code(`$${root}`)).join(', ')}.`];
  const alone = meta.purpose === undefined ? [] : [`Its variable is for ${meta.purpose} and nothing else.`];
  const deprecated = meta.deprecated === undefined ? [] : [`**Deprecated**: ${meta.deprecated.message}.`];
  return [meta.doc, ...values, ...roots, ...alone, ...example, ...deprecated].join(' ');
}
