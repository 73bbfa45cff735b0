/**
 * Whether a bare string in a parameter list is a name or a literal. Decided at load, from what the definitions say, and
 * never by what a client sends.
 */
import { pathParameters } from '../language/route.js';
import { nearest } from '../source/suggest.js';
import { inside, type LinkedAction, type LinkedResource } from './link.js';
import { hint, rename, type Report } from './report.js';
import type { TableNames } from './tables.js';
import type { Reference } from './finds.js';

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$/;

export function linkParameters(resources: readonly LinkedResource[], tables: TableNames, report: Report): void {
  for (const resource of resources) {
    for (const reference of resource.definition.finds.references) {
      // A name that must be one is not decided about: `repeats.ts`.
      if (reference.refers.symbol !== 'name' || reference.refers.soft !== true) continue;
      const action = resource.actions.find((candidate) => inside(reference.node, candidate.node));
      if (action !== undefined) decide(resource, action, reference, tables, report);
    }
  }
}

function decide(
  resource: LinkedResource,
  action: LinkedAction,
  { node, name, spot }: Reference,
  tables: TableNames,
  report: Report,
): void {
  const text = String(name);
  const root = text.split('.')[0] ?? text;
  const literal = { source: 'literal', from: null } as const;
  const isName = node.type === 'string' && IDENTIFIER.test(text);
  if (!isName) {
    action.parameters.set(node.pointer, literal);
    return;
  }
  if (resource.names.has(root)) {
    if (resource.payloadFields.has(root)) {
      report.add('LNK_TWO_SOURCES', spot, { name: root, first: 'an actionable', second: 'the payload' });
    } else if (resource.claims.has(root)) {
      report.add('LNK_TWO_SOURCES', spot, { name: root, first: 'an actionable', second: 'the claims of the token' });
    }
    action.parameters.set(node.pointer, { source: 'name', from: 'extracted' });
    return;
  }
  if (resource.claims.has(root)) {
    const inPayload = resource.payloadFields.has(root);
    if (inPayload) {
      report.add('LNK_TWO_SOURCES', spot, { name: root, first: 'the payload', second: 'the claims of the token' });
    }
    action.parameters.set(node.pointer, { source: 'name', from: inPayload ? 'payload' : 'claim' });
    return;
  }
  const columns = action.models.flatMap((model) => tables.fieldsOf(model));
  // Nothing is known about names where neither rules nor models exist: then everything that looks like one is one.
  const { repeat } = action;
  const silent = [...pathParameters(resource.path), ...(repeat?.fields === null ? [repeat.name] : [])];
  const anything = [...resource.payloadFields.keys()].every((field) => silent.includes(field)) && !tables.any;
  const items = repeat?.fields ?? [];
  if (anything || resource.payloadFields.has(root) || columns.includes(root) || items.includes(root)) {
    action.parameters.set(node.pointer, { source: 'name', from: 'payload' });
    return;
  }
  action.parameters.set(node.pointer, literal);
  const near = nearest(text, [...resource.payloadFields.keys(), ...resource.names, ...columns, ...items]);
  report.add('LNK_LITERAL', spot, { name: text, hint: hint(near) }, rename(near));
}
