/** Walks a whole definition by the grammar of its sort. */
import { ACKNOWLEDGE } from './acknowledge.js';
import { trimWalkResult } from './facts.js';
import { MODEL_SETTINGS, ROOT_FIELDS } from './grammar.js';
import type { Definition } from './model.js';
import type { Registry } from './registry.js';
import type { Report } from './report.js';
import { walk } from './walk.js';

export function walkDefinition(definition: Definition, registry: Registry, report: Report, isVerified = false): void {
  const { sort, doc, node, acknowledge, finds } = definition;
  const context = { doc, registry, report, finds, isVerified };
  walk(context, node, ROOT_FIELDS[sort], `this ${sort}`);
  const field = MODEL_SETTINGS.fields[ACKNOWLEDGE];
  if (acknowledge !== null && field !== undefined) walk(context, acknowledge, field, `"${ACKNOWLEDGE}"`);
  finds.isReported = report.rows.length > 0;
  trimWalkResult(finds);
}
