/**
 * Whether a bare string in a parameter list is a name or a literal. Decided at load, from what the definitions say, and
 * never by what a client sends.
 */
import { pathParameters } from '../language/route.js';
import { nearest } from '../source/suggest.js';
import { inside, type LinkedAction, type LinkedResource } from './link.js';
import { hint, rename, type Report } from './report.js';
import { inventedName } from './invented.js';
import type { Registry } from './registry.js';
import type { TableNames } from './tables.js';
import type { Reference } from './finds.js';

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$/;

export interface ParameterContext {
  readonly registry: Registry;
  readonly tables: TableNames;
  readonly report: Report;
}

export function linkParameters(resources: readonly LinkedResource[], context: ParameterContext): void {
  for (const resource of resources) {
    for (const reference of resource.definition.finds.references) {
      if (reference.refers.symbol !== 'name') continue;
      const action = resource.actions.find((candidate) => inside(reference.node, candidate.node));
      if (action !== undefined) decide(resource, action, reference, context);
    }
  }
}

function decide(
  resource: LinkedResource,
  action: LinkedAction,
  { node, name, spot }: Reference,
  { registry, tables, report }: ParameterContext,
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
  const inPath = pathParameters(resource.path);
  const anything = [...resource.payloadFields.keys()].every((field) => inPath.includes(field)) && !tables.any;
  const invented = resource.payloadFields.has(root) || columns.includes(root) ? null : inventedName(registry, text);
  if (invented !== null && resource.actions.some(({ id }) => id === invented.action)) {
    report.add('LNK_INVENTED', spot, { name: text, right: invented.say });
    action.parameters.set(node.pointer, literal);
    return;
  }
  if (anything || resource.payloadFields.has(root) || columns.includes(root)) {
    action.parameters.set(node.pointer, { source: 'name', from: 'payload' });
    return;
  }
  action.parameters.set(node.pointer, literal);
  const near = nearest(text, [...resource.payloadFields.keys(), ...resource.names, ...columns]);
  report.add('LNK_LITERAL', spot, { name: text, hint: hint(near) }, rename(near));
}
