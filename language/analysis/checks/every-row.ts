/** Reports UPDATE and DELETE without WHERE in resources without authentication. */
import { findUnboundedChanges } from '../../strings/sql-effects.js';
import { locateInString } from '../../source/escapes.js';
import type { LinkedResource } from '../linked-resource.js';
import { isJudged } from '../realms.js';
import type { Registry } from '../registry.js';
import { isInside, type Report } from '../report.js';

export function checkEveryRow(registry: Registry, report: Report, resources: readonly LinkedResource[]): void {
  for (const { definition, actions } of resources) {
    const { doc, finds, node } = definition;
    const places = finds.places.filter((place) => place.node === node);
    if (isJudged(registry, places)) continue;
    const reached = actions.filter(({ timing, noOp }) => !timing.scheduled && !noOp);
    for (const statement of finds.statements) {
      if (!reached.some((action) => isInside(statement.node, action.node))) continue;
      for (const { verb, start, end } of findUnboundedChanges(statement.scan)) {
        report.add('SQL_EVERY_ROW', locateInString(doc, statement.node, { start, end }), { verb });
      }
    }
  }
}
