/** Collects the names in accessor tails. The facts of an accessor declare what it reads. */
import { Slot } from '../../../contract/slot.js';
import type { AccessorPart } from '../../strings/accessor.js';
import type { AccessorText } from '../finds.js';
import type { Registry } from '../registry.js';
import type { Collecting, SymbolId } from '../symbols.js';
import { inside } from '../report.js';
import { addPath, isOutput, rootOf, type Scope } from './scope.js';
import { innerSpot, type Segment } from './spots.js';

export const environmentId = (name: string): SymbolId => ({ sort: 'environment', within: '', name });

export function tailOf({ root, tail, start }: AccessorPart): Segment[] {
  let at = start + 1 + root.length;
  return tail.map((text) => {
    const segment = { text, start: at + 1, end: at + 1 + text.length };
    at = segment.end;
    return segment;
  });
}

export function factsOf(registry: Registry, root: string): { readonly tail: string; readonly reads: string } {
  const kind = registry.kindsIn(Slot.ACCESSOR)[0];
  const facts = (kind === undefined ? undefined : registry.plugin(kind.kind, root))?.facts ?? {};
  return { tail: String(facts['tail'] ?? ''), reads: String(facts['reads'] ?? '') };
}

export function collectAccessors(collecting: Collecting, scope: Scope): void {
  for (const found of scope.definition.finds.accessors) {
    for (const part of found.parts) collectPart(collecting, scope, found, part);
  }
}

function collectPart(collecting: Collecting, scope: Scope, { node }: AccessorText, part: AccessorPart): void {
  const segments = tailOf(part);
  const [first] = segments;
  if (first === undefined) return;
  const spot = { doc: scope.definition.doc, start: node.start, end: node.end };
  const { tail, reads } = factsOf(collecting.registry, part.root);
  if (tail === 'env') {
    collecting.add(environmentId(first.text), innerSpot(spot, first.start, first.end), 'use');
  } else if (tail === 'declared:claim') {
    const id = { sort: 'claim', within: scope.within, name: first.text } as const;
    collecting.add(id, innerSpot(spot, first.start, first.end), 'use');
  } else if (reads === 'payload') {
    const action = scope.resource?.actions.find((one) => inside(node, one.node))?.key ?? null;
    if (isOutput(scope, first.text, action)) return;
    const root = rootOf(scope, first.text, action);
    addPath(collecting, scope, spot, segments, root?.sort === 'claim' ? undefined : (root ?? undefined));
  }
}
