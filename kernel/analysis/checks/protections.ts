/**
 * Properties that a step protects (hashes, encrypts): each must name a value that something gives, and the column of that
 * name must be written from it. What is said here would otherwise be stored in clear.
 */
import { asText } from '../../contract/json.js';
import { accessorsIn } from '../../language/accessor.js';
import { nearest } from '../../source/suggest.js';
import type { Reference } from '../finds.js';
import type { LinkedAction, LinkedResource } from '../linked.js';
import type { Registry } from '../registry.js';
import { hint, inside, rename, type Report } from '../report.js';
import { isWord, rootOf } from '../sources.js';
import { valueReads } from '../value-reads.js';
import { payloadReaders } from './readers.js';

export function checkProtections(resources: readonly LinkedResource[], registry: Registry, report: Report): void {
  for (const resource of resources) {
    for (const reference of resource.definition.finds.references) {
      if (reference.refers.symbol !== 'payload-field' || reference.refers.named !== true) continue;
      const action = resource.actions.find(({ node }) => inside(reference.node, node));
      if (action === undefined) continue;
      if (!isGiven(resource, action, reference, registry))
        reportNothing(resource, action, reference, { registry, report });
      else checkColumns(action, resource, reference, { registry, report });
    }
  }
}

/** A property alone makes no value: something has to declare it, give it, or read it. */
function isGiven(resource: LinkedResource, action: LinkedAction, { name }: Reference, registry: Registry): boolean {
  const root = rootOf(String(name));
  const [source] = resource.sources.all(root, action.key);
  if (source !== undefined && source.why !== 'property') return source.sort !== 'claim';
  if (action.repeat !== null && action.repeat.fields === null) return true;
  return valueReads(resource, registry).some(({ path }) => path.length === 0 || path[0] === root);
}

function reportNothing(
  resource: LinkedResource,
  action: LinkedAction,
  { name, spot }: Reference,
  { registry, report }: { readonly registry: Registry; readonly report: Report },
): void {
  const text = String(name);
  const near = meantBy(text, resource, action, registry);
  const isTaken = action.secrets.includes(near ?? '');
  // Without rules and readers nothing can be stored under a name; a mode may look at the payload by itself.
  if (
    near === undefined &&
    resource.payloadFields.size === 0 &&
    valueReads(resource, registry).length === 0 &&
    isWord(text)
  )
    return;
  report.add('LNK_NO_VALUE', spot, { name: text, hint: hint(near) }, isTaken ? {} : rename(near));
}

/** The tail of an accessor, or the nearest name that has a value here. */
function meantBy(text: string, resource: LinkedResource, action: LinkedAction, registry: Registry): string | undefined {
  const { payloadFields, names, generated } = resource;
  const tail = accessorsIn(text)[0]?.tail.join('.') ?? '';
  const reads = valueReads(resource, registry).flatMap(({ path: [first], action: by }) =>
    first !== undefined && (by === null || by === action.key) ? [first] : [],
  );
  const known = [...payloadFields.keys(), ...names, ...generated, ...reads, ...(action.repeat?.fields ?? [])];
  if (tail !== '') return known.includes(rootOf(tail)) ? tail : undefined;
  const [root = text, ...rest] = text.split('.');
  const near = nearest(root, known);
  return near === undefined ? undefined : [near, ...rest].join('.');
}

/** Values that a statement writes to the column which is called like the property. */
function checkColumns(
  action: LinkedAction,
  { definition }: LinkedResource,
  reference: Reference,
  { registry, report }: { readonly registry: Registry; readonly report: Report },
): void {
  const readers = payloadReaders(registry);
  const property = String(reference.name);
  const last = property.slice(property.lastIndexOf('.') + 1);
  // `users.password` is the `password` of each item, where the work is repeated for `users`.
  const { repeat } = action;
  const inItem =
    typeof repeat?.name === 'string' && property.startsWith(`${repeat.name}.`)
      ? property.slice(repeat.name.length + 1)
      : property;
  for (const { node, scan, parameters } of definition.finds.statements) {
    if (!inside(node, action.node) || (scan.verb !== 'INSERT' && scan.verb !== 'UPDATE')) continue;
    const where = scan.tokens.find(({ start, end }) => scan.text.slice(start, end).toUpperCase() === 'WHERE')?.start;
    for (const { n, column, start } of scan.placeholders) {
      const value = parameters[n - 1];
      if (column?.toLowerCase() !== last.toLowerCase() || value === undefined || start > (where ?? Infinity)) continue;
      if (
        value.type === 'null' ||
        isCovered(asText(value.scalar), property, readers) ||
        isCovered(asText(value.scalar), inItem, readers)
      )
        continue;
      const spot = { doc: definition.doc, start: value.start, end: value.end };
      const written = asText(value.scalar) || String(value.scalar ?? value.type);
      const fix = { fix: { title: `change to "${property}"`, text: JSON.stringify(property), asks: true as const } };
      report.add('LNK_UNPROTECTED', spot, { column, property, value: written }, fix);
    }
  }
}

/** The value itself, what it is inside of, or the item of a list. */
export function isCovered(text: string, property: string, readers: readonly string[]): boolean {
  const [only] = accessorsIn(text);
  if (only !== undefined && !readers.includes(only.root)) return false;
  const path = only === undefined ? text : only.tail.join('.');
  if (only === undefined && !isWord(text)) return false;
  return path === '' || path === property || property.startsWith(`${path}.`);
}
