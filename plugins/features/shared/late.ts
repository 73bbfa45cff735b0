/** Whether what a definition writes can be read before the work of its actionable is done. */
import { isObject, type Json } from '../../../kernel/contract/json.js';
import type { PlanTools } from '../../../kernel/contract/plan.js';
import { accessorsIn } from '../../../kernel/language/accessor.js';

/** An accessor in it may mean a value that a result gives: of all accessors, only that of the payload reads those by name. */
export function readsResults(json: Json | readonly Json[] | undefined, tools: Pick<PlanTools, 'slot'>): boolean {
  if (typeof json === 'string')
    return accessorsIn(json).some(({ root, tail: [name = ''] }) => root === 'PAYLOAD' && tools.slot(name) !== null);
  if (Array.isArray(json)) return (json as readonly Json[]).some((item) => readsResults(item, tools));
  return isObject(json) && Object.values(json).some((item) => readsResults(item, tools));
}
