/** Resolves bare names in a resource to the source with the highest precedence. */
import type { Definition, PayloadField, ResourceModel } from '../model.js';
import type { SourceLocation } from '../report.js';
import type { SymbolCollector, SymbolId } from '../symbols.js';
import { locateInside, type TextSegment } from './locations.js';

export interface SymbolScope {
  /** The namespace of symbols of this definition. */
  readonly within: string;
  readonly definition: Definition;
  /** Null for models. */
  readonly resource: ResourceModel | null;
  readonly getClaimId: (name: string) => SymbolId;
}

/** `action`: the actionable with the name, or null for a plugin of the resource. Null for undeclared names. */
export function resolveRoot(
  { within, resource, getClaimId }: SymbolScope,
  name: string,
  action: string | null,
): SymbolId | null {
  const [source] = resource?.sources.listSources(name, action) ?? [];
  // Results of actionables are not declared.
  if (source === undefined || source.sort === 'output') return null;
  if (source.why === 'property' || source.why === 'item') return null;
  if (source.sort === 'claim') return getClaimId(name);
  return { sort: SORTS[source.sort], within, name };
}

const SORTS = { extracted: 'name', generated: 'generated', payload: 'payload' } as const;

export const isOutput = ({ resource }: SymbolScope, name: string, action: string | null): boolean =>
  resource?.sources.listSources(name, action)[0]?.sort === 'output';

/** Adds the first segment and, for payload fields, every nested field with a rule. */
export function addPath(
  { add }: SymbolCollector,
  { within, resource }: SymbolScope,
  spot: SourceLocation,
  segments: readonly TextSegment[],
  root?: SymbolId,
  list?: string,
): void {
  const locateSegment = (segment: TextSegment): SourceLocation => locateInside(spot, segment.start, segment.end);
  const [first] = segments;
  if (first === undefined || first.text === '') return;
  if (root !== undefined && root.sort !== 'payload') {
    add(root, locateSegment(first), 'use');
    return;
  }
  let path = list ?? '';
  let fields = (list ?? '')
    .split('.')
    .reduce<ReadonlyMap<string, PayloadField> | undefined>(
      (around, name) => (name === '' ? around : around?.get(name)?.fields),
      resource?.payloadFields,
    );
  for (const [i, segment] of segments.entries()) {
    // The index of an array item.
    if (i > 0 && /^\d+$/.test(segment.text)) continue;
    if (path !== '' && fields?.has(segment.text) !== true) return;
    path = path === '' ? segment.text : `${path}.${segment.text}`;
    add({ sort: 'payload', within, name: path }, locateSegment(segment), 'use');
    fields = fields?.get(segment.text)?.fields;
  }
}
