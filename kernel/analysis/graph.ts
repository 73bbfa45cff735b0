/** Which actionable waits for which: cycles are reported with every edge, and what nothing reaches with a warning. */
import type { LinkedAction, LinkedResource } from './link.js';
import type { Report, Spot } from './report.js';
import { memberOf } from '../source/tree.js';

export function checkGraph(resources: readonly LinkedResource[], report: Report): void {
  const actions = new Map(resources.flatMap((resource) => resource.actions.map((action) => [action.key, action])));
  reportCycles(actions, report);
  reportUnreachable(actions, report);
}

type Colour = 'open' | 'done';

/** Iterative depth-first search; each cycle is reported once, at the edge that closes it. */
function reportCycles(actions: ReadonlyMap<string, LinkedAction>, report: Report): void {
  const colour = new Map<string, Colour>();
  for (const start of actions.values()) {
    if (colour.has(start.key)) continue;
    const path: { action: LinkedAction; next: number }[] = [{ action: start, next: 0 }];
    colour.set(start.key, 'open');
    for (;;) {
      const top = path.at(-1);
      if (top === undefined) break;
      const edge = top.action.edges[top.next++];
      if (edge === undefined) {
        colour.set(top.action.key, 'done');
        path.pop();
        continue;
      }
      const target = actions.get(edge.to);
      if (target === undefined) continue;
      if (colour.get(edge.to) === 'open')
        reportCycle(
          path.map((entry) => entry.action),
          edge,
          report,
        );
      else if (!colour.has(edge.to)) {
        colour.set(edge.to, 'open');
        path.push({ action: target, next: 0 });
      }
    }
  }
}

function reportCycle(path: readonly LinkedAction[], closing: { to: string; spot: Spot }, report: Report): void {
  const members = path.slice(path.findIndex((action) => action.key === closing.to));
  const cycle = [...members.map((action) => action.key), closing.to].join(' -> ');
  const related = members.flatMap((action, i) => {
    const next = members[i + 1]?.key;
    const edge = action.edges.find((candidate) => candidate.to === next);
    return edge === undefined ? [] : [{ message: `${action.key} waits for ${edge.to}`, spot: edge.spot }];
  });
  report.add('LNK_CYCLE', closing.spot, { cycle }, { related });
}

function reportUnreachable(actions: ReadonlyMap<string, LinkedAction>, report: Report): void {
  const named = new Set([...actions.values()].flatMap((action) => action.edges.map((edge) => edge.to)));
  for (const action of actions.values()) {
    if (!action.noOp || named.has(action.key)) continue;
    const member = memberOf(action.node, 'no_op');
    if (member === undefined) continue;
    report.add('LNK_UNREACHABLE', { doc: action.spot.doc, start: member.keyStart, end: member.keyEnd });
  }
}
