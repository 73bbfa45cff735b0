/**
 * Whether a bare string in a parameter list is a name or a literal. Decided at load, from what the definitions say, and
 * never by what a client sends.
 */
import { pathParameters } from '../language/route.js';
import { memberOf } from '../source/tree.js';
import { nearest } from '../source/suggest.js';
import type { LinkedAction, LinkedResource } from './linked.js';
import { hint, rename, type Report, inside } from './report.js';
import { inventedName } from './invented.js';
import type { Registry } from './registry.js';
import type { TableNames } from './tables.js';
import type { Reference } from './finds.js';

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$/;

export const looksLikeName = (text: string): boolean => IDENTIFIER.test(text);

/** Written like a name: nobody means `circle_id` as a text that is stored. */
const NAMELIKE = /_|[a-z][A-Z]|^id$/;

export interface ParameterContext {
  readonly registry: Registry;
  readonly tables: TableNames;
  readonly report: Report;
  /** Whether a table has such a column, or any resource declares such a field. */
  readonly elsewhere: (name: string) => boolean;
}

export function linkParameters(resources: readonly LinkedResource[], context: ParameterContext): void {
  for (const resource of resources) {
    for (const reference of resource.definition.finds.references) {
      // A name that must be one is not decided about: `repeats.ts`.
      if (reference.refers.symbol !== 'name' || reference.refers.soft !== true) continue;
      const action = resource.actions.find((candidate) => inside(reference.node, candidate.node));
      if (action !== undefined) decide(resource, action, reference, context);
    }
  }
}

const WORDS = {
  extracted: 'an actionable',
  generated: 'a generator',
  payload: 'the payload',
  claim: 'the claims of the token',
} as const;

/** Where the name has a value, the source that wins first. */
function sourcesOf(resource: LinkedResource, name: string): (keyof typeof WORDS)[] {
  const { names, generated, payloadFields, claims } = resource;
  const holds = { extracted: names, generated, payload: payloadFields, claim: claims };
  return (Object.keys(WORDS) as (keyof typeof WORDS)[]).filter((source) => holds[source].has(name));
}

function decide(
  resource: LinkedResource,
  action: LinkedAction,
  reference: Reference,
  { registry, tables, report, elsewhere }: ParameterContext,
): void {
  const { node, name, spot } = reference;
  const text = String(name);
  const root = text.split('.')[0] ?? text;
  const literal = { source: 'literal', from: null } as const;
  const isName = node.type === 'string' && looksLikeName(text);
  if (!isName) {
    action.parameters.set(node.pointer, literal);
    return;
  }
  const [first, second] = sourcesOf(resource, root);
  if (first !== undefined) {
    if (second !== undefined)
      report.add('LNK_TWO_SOURCES', spot, { name: root, first: WORDS[first], second: WORDS[second] });
    action.parameters.set(node.pointer, { source: 'name', from: first });
    return;
  }
  const columns = action.models.flatMap((model) => tables.fieldsOf(model));
  // Nothing is known about names where neither rules nor models exist: then everything that looks like one is one.
  const { repeat } = action;
  const silent = [...pathParameters(resource.path), ...(repeat?.fields === null ? [repeat.name] : [])];
  const anything = [...resource.payloadFields.keys()].every((field) => silent.includes(field)) && !tables.any;
  const items = repeat?.fields ?? [];
  const isKnown = columns.includes(root) || items.includes(root);
  const invented = isKnown ? null : inventedName(registry, text);
  if (invented !== null && resource.actions.some(({ id }) => id === invented.action)) {
    report.add('LNK_INVENTED', spot, { name: text, right: invented.say });
    action.parameters.set(node.pointer, literal);
    return;
  }
  if (anything || isKnown || isFirm(resource, reference)) {
    action.parameters.set(node.pointer, { source: 'name', from: 'payload' });
    return;
  }
  action.parameters.set(node.pointer, literal);
  const { payloadFields, names, generated } = resource;
  const near = nearest(text, [...payloadFields.keys(), ...names, ...generated, ...columns, ...items]);
  const code = NAMELIKE.test(root) && elsewhere(root) ? 'LNK_LITERAL_NAME' : 'LNK_LITERAL';
  report.add(code, spot, { name: text, hint: hint(near) }, rename(near));
}

/** Where the list says what is written, field by field, an entry is the name of one. */
function isFirm({ definition }: LinkedResource, { node, refers: { firm } }: Reference): boolean {
  if (firm === undefined) return false;
  const query = definition.finds.documents.find(({ parameters }) => parameters.includes(node));
  if (query === undefined || memberOf(query.around, firm.without) !== undefined) return false;
  return memberOf(query.around, firm.field)?.value?.scalar === firm.is;
}
