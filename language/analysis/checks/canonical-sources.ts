/** Traces values back to the payload fields that they certainly come from. */
import { escapePointer } from '../../../contract/json.js';
import { locateInString } from '../../source/escapes.js';
import { findMember, findNode, type LocatedNode } from '../../source/tree.js';
import { listAccessors } from '../../strings/accessor.js';
import { findParameterColumns } from '../bound-columns.js';
import { listExtractedFrom } from '../extracted-names.js';
import type { LinkedAction, LinkedResource } from '../linked-resource.js';
import type { Registry } from '../registry.js';
import { isInside } from '../report.js';
import { listValueReads, type ValueRead } from '../value-reads.js';
import { listClaimReaders } from './readers.js';

export interface ValueTracing {
  /** By key of an actionable. */
  readonly owners: ReadonlyMap<string, LinkedResource>;
  readonly registry: Registry;
  readonly seen: Set<string>;
}

type Path = readonly string[];

export const findAction = (owners: ReadonlyMap<string, LinkedResource>, key: string): LinkedAction | undefined =>
  owners.get(key)?.actions.find((one) => one.key === key);

/** With the value that is certainly at the path of an extracted name. */
export const findPayloadPaths = (resource: LinkedResource, path: Path, tracing: ValueTracing): Path[] =>
  listExtractedFrom(resource, path).flatMap((from) => traceResult(from, tracing));

/** The payload fields that are certainly at a path of the result. */
function traceResult({ key, path }: { readonly key: string; readonly path: Path }, tracing: ValueTracing): Path[] {
  const { owners, registry, seen } = tracing;
  const place = `${key} ${path.join('.')}`;
  const owner = owners.get(key);
  const action = findAction(owners, key);
  if (owner === undefined || action === undefined || seen.has(place)) return [];
  seen.add(place);
  const returned = findReturned(owner, action, registry);
  const value = returned === null ? null : findNode(returned, path.map((one) => `/${escapePointer(one)}`).join(''));
  return listValueReads(owner, registry).flatMap((read) => {
    if (read.node !== value?.node || !isWhole(read)) return [];
    if (read.source?.sort === 'extracted') return findPayloadPaths(owner, read.path, tracing);
    return read.source?.sort === 'payload' ? [read.path] : [];
  });
}

/** The payload fields that are certainly in a claim of the issued token. */
export function listIssuedPaths({ actions }: LinkedResource, path: Path, tracing: ValueTracing): Path[] {
  const main = actions.filter(({ main: is }) => is);
  const [action] = main.length > 0 ? main : actions.filter(({ noOp, timing }) => !noOp && !timing.later).slice(-1);
  return action === undefined ? [] : traceResult({ key: action.key, path }, { ...tracing, seen: new Set() });
}

/** The value that the definition writes as the result. */
function findReturned({ definition }: LinkedResource, { node }: LinkedAction, registry: Registry): LocatedNode | null {
  for (const place of definition.finds.places) {
    const field = place.node === node ? registry.plugins.get(place.plugin)?.facts?.returns : undefined;
    const value = typeof field === 'string' ? findMember(node, field)?.value : undefined;
    if (value) return value;
  }
  return null;
}

/** False inside a longer text. */
export const isWhole = ({ node, form }: Pick<ValueRead, 'node' | 'form'>): boolean => {
  if (form !== 'accessor') return form === 'word';
  const text = String(node.scalar);
  const [only] = listAccessors(text);
  return only?.start === 0 && only.end === text.length;
};

/** The places of queries that read claims, by accessor or by name. */
export function listClaimValues(resource: LinkedResource, registry: Registry): ValueRead[] {
  const { definition, actions } = resource;
  const { doc, finds } = definition;
  const roots = listClaimReaders(registry);
  const named = listValueReads(resource, registry).filter(({ source }) => source?.sort === 'claim');
  const read = finds.accessors.flatMap(({ node, parts, afterwards = false }) =>
    parts.flatMap(({ root, tail: path, start, end }): ValueRead[] => {
      if (!roots.includes(root)) return [];
      const { query, columns } = findParameterColumns(finds, node, null) ?? {
        query: finds.documents.find(({ around }) => isInside(node, around)) ?? null,
        columns: [],
      };
      const action = actions.find((one) => isInside(node, one.node))?.key ?? null;
      const spot = locateInString(doc, node, { start, end });
      return [{ action, node, spot, form: 'accessor', path, source: null, query, columns, afterwards }];
    }),
  );
  return [...named, ...read];
}
