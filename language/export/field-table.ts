/** Formats a schema's fields as a table: one row each, nested fields with dotted paths. Reads FieldNodes only. */
import type { FieldNode } from '../schema/field-node.js';
import { boundsOf, deprecationOf, remarksOf, typeOf, valuesOf, type WordContext } from './field-words.js';
import { code, table } from './markdown.js';

const HEAD = ['field', 'type', 'required', 'default', 'bounds', 'meaning'];

export function fieldTable(context: WordContext, node: FieldNode): string {
  return table(HEAD, rowsIn(context, node, ''));
}

function rowsIn(context: WordContext, node: FieldNode, path: string): string[][] {
  const own = Object.entries(node.fields).flatMap(([name, field]) => {
    const here = path === '' ? name : `${path}.${name}`;
    return [row(context, field, here), ...inside(context, field, here)];
  });
  return own;
}

function inside(context: WordContext, node: FieldNode, path: string): string[][] {
  if (node.type === 'object') return rowsIn(context, node, path);
  if (node.inner === null || node.type === 'value') return [];
  const here = node.type === 'array' ? `${path}[]` : `${path}.*`;
  const nested = inside(context, node.inner, here);
  // An item without its own documentation adds nothing to its list's row.
  return node.inner.meta.doc === '' || node.inner.meta.doc === node.meta.doc
    ? nested
    : [row(context, node.inner, here), ...nested];
}

function row(context: WordContext, node: FieldNode, path: string): string[] {
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

function meaningOf(node: FieldNode): string {
  const { meta } = node;
  const example = meta.examples?.[0] === undefined ? [] : [`Example: ${code(JSON.stringify(meta.examples[0]))}.`];
  return [meta.doc, ...valuesOf(node), ...remarksOf(node), ...example, ...deprecationOf(node)].join(' ');
}
