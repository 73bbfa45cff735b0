/** Has a store check a query at load, with stand-ins for values of a request. */
import { isObject, type Json } from '../../../contract/json.js';
import type { ModelTable } from '../../../contract/model.js';
import type { Frame, ParameterPlan, PlanTools } from '../../../contract/plan.js';
import type { QueryQuestion, QueryRejection } from '../../../contract/statement-check.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { parsePlaceholder } from '../../../language/strings/placeholder.js';
import type { DocumentAction } from '../../document-actions/kind.js';
import { DescribedRejection, type DocumentStore } from '../../document-stores/kind.js';
import { makeQuery } from './statement.js';

/** Of each type that a value may have; null is valid for each field. */
const STAND_INS: readonly Json[] = [null, 'a', 1, ['a'], { a: 1 }];
/** These are about what is written, whatever the values are. */
const CERTAIN = /unknown|unrecognized|unsupported|not (?:allowed|supported|recognized)/i;

/** Null where the query is valid, or a stand-in makes the server accept it. */
export async function describeInStore(
  { value }: QueryQuestion,
  tables: readonly ModelTable[],
  store: DocumentStore,
  action: DocumentAction,
): Promise<QueryRejection | null> {
  const reasons = new Set<string>();
  let sent = 0;
  const tries = hasRequestValues(value) ? STAND_INS : [null];
  for (const standIn of tries) {
    const outcome = await describeOnce(value, standIn, tables, store, action);
    if (outcome === null) return null;
    if (outcome === UNSENT) continue;
    sent++;
    reasons.add(outcome);
    if (reasons.size > 1) return null;
  }
  const [what] = reasons;
  // With one try, the stand-in itself may be wrong.
  if (what === undefined || (sent < 2 && tries.length > 1 && !CERTAIN.test(what))) return null;
  return { what: what.replace(/\.$/, ''), name: findKey(what, JSON.stringify(value)) };
}

/** The stand-in does not fit a type of the model, or the server has another problem. */
const UNSENT = Symbol('unsent');

async function describeOnce(
  value: QueryQuestion['value'],
  standIn: Json,
  tables: readonly ModelTable[],
  store: DocumentStore,
  action: DocumentAction,
): Promise<string | typeof UNSENT | null> {
  const createParameter = (json: Json): ParameterPlan => ({
    source: 'accessor',
    label: '',
    field: null,
    read: () => (typeof json === 'string' ? standIn : isObject(json) ? (json['literal'] ?? standIn) : json),
  });
  const frame = { now: () => new Date(0).toISOString(), unit: null } as Partial<Frame> as Frame;
  try {
    const tools = { tables, parameter: createParameter } as Partial<PlanTools> as PlanTools;
    await makeQuery(value, '', tools, store, action, false).bind(frame)(null);
    return null;
  } catch (error) {
    return error instanceof DescribedRejection ? error.message : UNSENT;
  }
}

function hasRequestValues(json: Json): boolean {
  if (typeof json === 'string') return parsePlaceholder(json) !== null || listAccessors(json).length > 0;
  if (Array.isArray(json)) return (json as readonly Json[]).some(hasRequestValues);
  return isObject(json) && Object.values(json).some(hasRequestValues);
}

/** The first operator of the message in the query; some messages omit its `$`. */
const findKey = (what: string, written: string): string | null =>
  [...what.matchAll(/\$?([A-Za-z_]\w*)/g)]
    .map(([, name = '']) => `$${name}`)
    .find((name) => written.includes(`${JSON.stringify(name)}:`)) ?? null;
