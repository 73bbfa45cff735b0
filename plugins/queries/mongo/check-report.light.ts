/** Operators and operands: the problem, then where they are valid. */
import type { Json } from '../../../contract/json.js';
import { getReplacement } from './check-mistakes.light.js';
import { formatHint, isValue, describeJson, type QueryCheckContext } from './check-context.light.js';
import {
  EXPRESSIONS,
  FIELD_OPERATORS,
  isRejectedOperator,
  QUERY_OPERATORS,
  REJECTED_OPERATORS,
  STAGES,
  UPDATE_OPERATORS,
  type Operators,
} from './operators.light.js';

const HOMES: readonly (readonly [Operators, string])[] = [
  [FIELD_OPERATORS, 'it stands behind the name of a field: {"name": {"OPERATOR": ...}}'],
  [QUERY_OPERATORS, 'it stands in a query next to names of fields'],
  [UPDATE_OPERATORS, 'it belongs into `update_predicate`'],
  [STAGES, 'it is a stage of the `pipeline` of an AGGREGATE'],
  [EXPRESSIONS, 'it stands in expressions, such as those behind "$expr"'],
];

export function reportOperator(
  context: QueryCheckContext,
  name: string,
  at: string,
  here: Operators,
  where: string,
): void {
  const spot = { at, key: true } as const;
  if (isRejectedOperator(name)) {
    context.findings.push({ code: 'DOC_REFUSED', ...spot, params: { name, why: REJECTED_OPERATORS[name] ?? '' } });
    return;
  }
  const home = HOMES.find(([operators]) => operators !== here && Object.hasOwn(operators, name));
  if (home !== undefined) {
    reportMisplaced(context, name, at, where, home[1].replace('OPERATOR', name));
    return;
  }
  const instead = getReplacement(name);
  const near = instead === '' ? context.nearest(name, Object.keys(here)) : undefined;
  const fix = near === undefined ? {} : { fix: { title: `change to "${near}"`, text: JSON.stringify(near) } };
  context.findings.push({
    code: 'DOC_OPERATOR',
    ...spot,
    params: { name, where, hint: instead || formatHint(near) },
    ...fix,
  });
}

/** A name that is valid elsewhere; `right`: its notation. */
export function reportMisplaced(
  context: QueryCheckContext,
  name: string,
  at: string,
  where: string,
  right: string,
): void {
  context.findings.push({ code: 'DOC_PLACE', at, key: true, params: { name, where, right } });
}

export function reportWrongForm(
  context: QueryCheckContext,
  json: Json,
  at: string,
  where: string,
  right: string,
): void {
  if (isValue(json)) context.findings.push({ code: 'DOC_QUERY', at, params: { text: json, where, right } });
  else context.findings.push({ code: 'DOC_OPERAND', at, params: { where, right, actual: describeJson(json) } });
}
