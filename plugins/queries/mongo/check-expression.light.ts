/** Checks for known operators, and paths to existing fields. */
import { isObject, type Json } from '../../../contract/json.js';
import {
  joinPointer,
  toEntries,
  findField,
  isFilledName,
  isOperator,
  isValue,
  type QueryCheckContext,
} from './check-context.light.js';
import { reportOperator } from './check-report.light.js';
import { EXPRESSIONS } from './operators.light.js';

/** A path into the document: `"$name"`, but not `"$$ROOT"`. */
const PATH = /^\$([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)$/;

export function checkExpression(context: QueryCheckContext, json: Json, at: string): void {
  if (typeof json === 'string') {
    const path = isValue(json) ? undefined : PATH.exec(json)?.[1];
    if (path !== undefined) findField(context, path, { at, span: [1, json.length] });
    return;
  }
  if (Array.isArray(json)) json.forEach((item: Json, i) => checkExpression(context, item, joinPointer(at, i)));
  if (!isObject(json)) return;
  for (const [key, inner] of toEntries(json)) {
    const here = joinPointer(at, key);
    if (isFilledName(context, key, here)) continue;
    const operand = isOperator(key) ? EXPRESSIONS[key] : 'expression';
    if (operand === undefined) reportOperator(context, key, here, EXPRESSIONS, 'in an expression');
    else if (operand === 'expression') checkExpression(context, inner, here);
  }
}
