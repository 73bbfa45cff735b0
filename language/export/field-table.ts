/** Formats a schema's fields as a table; nested fields have dotted paths. */
import type { FieldNode } from '../schema/field-node.js';
import {
  describeBounds,
  describeDeprecation,
  listRemarks,
  describeType,
  describeValues,
  type DescribeContext,
} from './describe-field.js';
import { formatCode, formatTable } from './markdown.js';

const HEAD = ['field', 'type', 'required', 'default', 'bounds', 'meaning'];

export function formatFieldTable(context: DescribeContext, node: FieldNode): string {
  return formatTable(HEAD, listRows(context, node, ''));
}

function listRows(context: DescribeContext, node: FieldNode, path: string): string[][] {
  const own = Object.entries(node.fields).flatMap(([name, field]) => {
    const here = path === '' ? name : `${path}.${name}`;
    return [toRow(context, field, here), ...listNestedRows(context, field, here)];
  });
  return own;
}

function listNestedRows(context: DescribeContext, node: FieldNode, path: string): string[][] {
  if (node.type === 'object') return listRows(context, node, path);
  if (node.inner === null || node.type === 'value') return [];
  const here = node.type === 'array' ? `${path}[]` : `${path}.*`;
  const nested = listNestedRows(context, node.inner, here);
  // An item without its own documentation adds nothing to its list's row.
  return node.inner.meta.doc === '' || node.inner.meta.doc === node.meta.doc
    ? nested
    : [toRow(context, node.inner, here), ...nested];
}

function toRow(context: DescribeContext, node: FieldNode, path: string): string[] {
  const { meta } = node;
  return [
    formatCode(path),
    describeType(context, node),
    node.required && !/(\[\]|\.\*)$/.test(path) ? 'yes' : '',
    meta.default === undefined ? '' : formatCode(JSON.stringify(meta.default)),
    describeBounds(node),
    formatMeaning(node),
  ];
}

function formatMeaning(node: FieldNode): string {
  const { meta } = node;
  const example = meta.examples?.[0] === undefined ? [] : [`Example: ${formatCode(JSON.stringify(meta.examples[0]))}.`];
  return [meta.doc, ...describeValues(node), ...listRemarks(node), ...example, ...describeDeprecation(node)].join(' ');
}
