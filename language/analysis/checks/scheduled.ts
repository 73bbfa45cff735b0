/** Reports reads of the request in scheduled actionables and their dependencies. */
import { locateInString } from '../../source/escapes.js';
import { Slot } from '../../../contract/slot.js';
import type { LinkedAction, LinkedResource } from '../linked-resource.js';
import { orderWithDependencies } from '../running-order.js';
import type { Registry } from '../registry.js';
import { type Report, type SourceLocation, isInside } from '../report.js';

const OF_REQUEST: readonly unknown[] = ['payload', 'claims', 'headers'];

interface Need {
  readonly what: string;
  readonly spot: SourceLocation;
}

export function checkScheduled(resources: readonly LinkedResource[], registry: Registry, report: Report): void {
  const byKey = new Map(resources.flatMap(({ actions }) => actions.map((action) => [action.key, action] as const)));
  const owners = new Map(resources.flatMap((resource) => resource.actions.map(({ key }) => [key, resource] as const)));
  const waitsFor = (action: LinkedAction): LinkedAction[] => action.edges.flatMap(({ to }) => byKey.get(to) ?? []);
  const reported = new Map<SourceLocation['doc'], Set<number>>();
  for (const root of byKey.values()) {
    if (!root.timing.scheduled) continue;
    const chain = orderWithDependencies([root], waitsFor);
    for (const action of chain) {
      const owner = owners.get(action.key);
      if (owner === undefined) continue;
      for (const { what, spot } of listNeeds(owner, action, chain, registry)) {
        const places = reported.get(spot.doc) ?? new Set();
        if (places.has(spot.start)) continue;
        reported.set(spot.doc, places.add(spot.start));
        const related = [{ message: `actionable ${root.id} is scheduled`, spot: root.spot }];
        report.add('LNK_NO_REQUEST', spot, { what, name: root.key }, action === root ? {} : { related });
      }
    }
  }
}

function listNeeds(
  owner: LinkedResource,
  action: LinkedAction,
  chain: readonly LinkedAction[],
  registry: Registry,
): Need[] {
  const { doc, finds } = owner.definition;
  const isMade = (name: string): boolean =>
    finds.declarations.some(
      (found) =>
        (found.symbol === 'name' || found.symbol === 'generated') &&
        found.name === name &&
        chain.some((maker) => owner.actions.includes(maker) && isInside(found.spot, maker.node)),
    );
  const needs: Need[] = [];
  const kind = registry.listKinds(Slot.ACCESSOR)[0]?.kind ?? '';
  for (const { node, parts } of finds.accessors) {
    if (!isInside(node, action.node)) continue;
    for (const { root, tail, start, end } of parts) {
      const reads = registry.plugin(kind, root)?.facts?.reads;
      if (!OF_REQUEST.includes(reads) || (reads === 'payload' && isMade(tail[0] ?? ''))) continue;
      const spot = locateInString(doc, node, { start, end });
      needs.push({ what: [`$${root}`, ...tail].join('.'), spot });
    }
  }
  for (const { refers, node, name, spot } of finds.references) {
    if (!isInside(node, action.node)) continue;
    const first = String(name).split('.')[0] ?? '';
    const isName = refers.symbol === 'name' && action.parameters.get(node.pointer)?.source === 'name';
    if ((isName || refers.symbol === 'payload-field') && !isMade(first)) needs.push({ what: String(name), spot });
  }
  const { repeat } = action;
  if (repeat?.from !== 'payload' && repeat?.from !== 'body') return needs;
  for (const { each, node } of finds.statements) {
    if (each === null || !isInside(node, action.node)) continue;
    needs.push({ what: repeat.name ?? 'the list', spot: { doc, start: each.start, end: each.end } });
  }
  return needs;
}
