/** Checks expressions of document queries: known operators, and paths to existing fields. */
import { isObject, type Json } from '../../../contract/json.js';
import { below, entriesOf, fieldAt, isFilledName, isOperator, isValue, type Looking } from './check-context.light.js';
import { reportOperator } from './check-report.light.js';
import { EXPRESSIONS } from './operators.light.js';

/** A path into the document: `"$name"`, but not `"$$ROOT"`. */
const PATH = /^\$([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)$/;

export function checkExpression(look: Looking, json: Json, at: string): void {
  if (typeof json === 'string') {
    const path = isValue(json) ? undefined : PATH.exec(json)?.[1];
    if (path !== undefined) fieldAt(look, path, { at, span: [1, json.length] });
    return;
  }
  if (Array.isArray(json)) json.forEach((item: Json, i) => checkExpression(look, item, below(at, i)));
  if (!isObject(json)) return;
  for (const [key, inner] of entriesOf(json)) {
    const here = below(at, key);
    if (isFilledName(look, key, here)) continue;
    const operand = isOperator(key) ? EXPRESSIONS[key] : 'expression';
    if (operand === undefined) reportOperator(look, key, here, EXPRESSIONS, 'in an expression');
    else if (operand === 'expression') checkExpression(look, inner, here);
  }
}
