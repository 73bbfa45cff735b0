/** Whether a definition value can be resolved before the actionable runs. */
import { isObject, type Json } from '../../../contract/json.js';
import type { PlanTools } from '../../../contract/plan.js';
import { listAccessors } from '../../../language/strings/accessor.js';

/** Only `$PAYLOAD` accessors can name values of results. */
export function readsResults(json: Json | readonly Json[] | undefined, tools: Pick<PlanTools, 'slot'>): boolean {
  if (typeof json === 'string')
    return listAccessors(json).some(({ root, tail: [name = ''] }) => root === 'PAYLOAD' && tools.slot(name) !== null);
  if (Array.isArray(json)) return (json as readonly Json[]).some((item) => readsResults(item, tools));
  return isObject(json) && Object.values(json).some((item) => readsResults(item, tools));
}
