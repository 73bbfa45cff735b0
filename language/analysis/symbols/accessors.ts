/** The names in accessor tails, by the facts of accessors. */
import { Slot } from '../../../contract/slot.js';
import type { AccessorPart } from '../../strings/accessor.js';
import type { AccessorText } from '../facts.js';
import type { Registry } from '../registry.js';
import type { SymbolCollector, SymbolId } from '../symbols.js';
import { isInside } from '../report.js';
import { addPath, isOutput, resolveRoot, type SymbolScope } from './scope.js';
import { locateInside, type TextSegment } from './locations.js';

export const environmentId = (name: string): SymbolId => ({ sort: 'environment', within: '', name });

export function splitTail({ root, tail, start }: AccessorPart): TextSegment[] {
  let at = start + 1 + root.length;
  return tail.map((text) => {
    const segment = { text, start: at + 1, end: at + 1 + text.length };
    at = segment.end;
    return segment;
  });
}

export function getAccessorFacts(registry: Registry, root: string): { readonly tail: string; readonly reads: string } {
  const kind = registry.listKinds(Slot.ACCESSOR)[0];
  const facts = (kind === undefined ? undefined : registry.plugin(kind.kind, root))?.facts ?? {};
  return { tail: facts.tail ?? '', reads: facts.reads ?? '' };
}

export function collectAccessors(collecting: SymbolCollector, scope: SymbolScope): void {
  for (const found of scope.definition.finds.accessors) {
    for (const part of found.parts) collectPart(collecting, scope, found, part);
  }
}

function collectPart(
  collecting: SymbolCollector,
  scope: SymbolScope,
  { node }: AccessorText,
  part: AccessorPart,
): void {
  const segments = splitTail(part);
  const [first] = segments;
  if (first === undefined) return;
  const spot = { doc: scope.definition.doc, start: node.start, end: node.end };
  const { tail, reads } = getAccessorFacts(collecting.registry, part.root);
  if (tail === 'env') {
    collecting.add(environmentId(first.text), locateInside(spot, first.start, first.end), 'use');
  } else if (tail === 'declared:claim') {
    collecting.add(scope.getClaimId(first.text), locateInside(spot, first.start, first.end), 'use');
  } else if (reads === 'payload') {
    const action = scope.resource?.actions.find((one) => isInside(node, one.node))?.key ?? null;
    if (isOutput(scope, first.text, action)) return;
    const root = resolveRoot(scope, first.text, action);
    addPath(collecting, scope, spot, segments, root?.sort === 'claim' ? undefined : (root ?? undefined));
  }
}
