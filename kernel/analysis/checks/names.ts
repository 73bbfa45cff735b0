/** A name that an actionable extracts or generates must exist by then: used earlier, it would silently be null. */
import { inside, type LinkedAction, type LinkedResource } from '../link.js';
import { runningOrder } from '../order.js';
import type { Report } from '../report.js';

export function checkNames(resources: readonly LinkedResource[], report: Report): void {
  const byKey = new Map(resources.flatMap(({ actions }) => actions.map((action) => [action.key, action] as const)));
  const waitsFor = (action: LinkedAction): LinkedAction[] => action.edges.flatMap(({ to }) => byKey.get(to) ?? []);
  for (const resource of resources) {
    if (resource.names.size + resource.generated.size === 0) continue;
    const order = runningOrder(resource.actions, waitsFor);
    for (const action of order) reportEarly(resource, action, order, report);
  }
}

function reportEarly(
  { definition, actions }: LinkedResource,
  user: LinkedAction,
  order: readonly LinkedAction[],
  report: Report,
): void {
  if (!actions.includes(user)) return;
  for (const reference of definition.finds.references) {
    const from = user.parameters.get(reference.node.pointer)?.from;
    if (from !== 'extracted' && from !== 'generated') continue;
    const symbol = from === 'extracted' ? 'name' : 'generated';
    const name = String(reference.name).split('.')[0] ?? '';
    const found = definition.finds.declarations.filter((one) => one.symbol === symbol && one.name === name);
    const producers = found.flatMap((one) => {
      const action = actions.find((candidate) => inside(one.spot, candidate.node));
      return action === undefined ? [] : [{ action, late: one.late && action.edges.length === 0 }];
    });
    const position = order.indexOf(user);
    const inTime = producers.some(({ action, late }) => {
      const at = order.indexOf(action);
      return at !== -1 && (late ? at < position : at <= position);
    });
    if (inTime) continue;
    const producer = producers[0]?.action.id;
    report.add('LNK_TOO_EARLY', reference.spot, { name, made: from, producer, user: user.id });
  }
}
