/**
 * Checks filters of document queries: operator positions, operands and model fields. A request value is always a
 * value.
 */
import { getOwn, isObject, type Json } from '../../../contract/json.js';
import {
  joinPointer,
  toEntries,
  getColumnType,
  findField,
  isFilledName,
  isOperator,
  isValue,
  getElement,
  toFields,
  checkOperatorType,
  checkValue,
  type QueryDefinition,
  type QueryCheckContext,
} from './check-context.light.js';
import { checkExpression } from './check-expression.light.js';
import {
  getReplacement,
  findLogicalOperator,
  reportBareOperators,
  reportDollar,
  reportIntended,
} from './check-mistakes.light.js';
import { reportMisplaced, reportOperator, reportWrongForm } from './check-report.light.js';
import { FIELD_OPERATORS, QUERY_OPERATORS, SEARCH_FIELDS, type Operand } from './operators.light.js';

export function checkQuery(context: QueryCheckContext, json: Json, at: string): void {
  if (!isObject(json)) {
    reportWrongForm(context, json, at, 'here', 'an object of names of fields');
    return;
  }
  for (const [key, inner] of toEntries(json)) {
    const here = joinPointer(at, key);
    if (isFilledName(context, key, here)) continue;
    const operator = Array.isArray(inner) ? findLogicalOperator(key) : undefined;
    if (operator !== undefined) {
      reportDollar(context, key, operator, here);
      continue;
    }
    if (!isOperator(key)) {
      checkField(context, inner, findField(context, key, { at: here, key: true }), here);
      continue;
    }
    const operand = QUERY_OPERATORS[key];
    if (operand === undefined) reportOperator(context, key, here, QUERY_OPERATORS, 'in a query next to fields');
    else checkOperand(context, operand, key, inner, null, here);
  }
}

export function checkField(context: QueryCheckContext, json: Json, field: QueryDefinition | null, at: string): void {
  if (!isObject(json)) {
    if (!reportIntended(context, json, at)) checkValue(context, json, field, at);
    return;
  }
  if (reportBareOperators(context, json, at)) return;
  const keys = Object.keys(json);
  if (keys.some(isOperator)) {
    checkCondition(context, json, field, at);
    return;
  }
  if (field !== null) checkProperties(context, json, field, at);
  checkWhole(context, json, at, at);
}

/** Operators in an object compared as a whole are data. */
function checkWhole(context: QueryCheckContext, json: QueryDefinition, at: string, top: string): void {
  for (const [key, inner] of toEntries(json)) {
    const here = joinPointer(at, key);
    if (isFilledName(context, key, here)) continue;
    if (isOperator(key)) {
      const path = here
        .slice(top.lastIndexOf('/') + 1)
        .split('/')
        .slice(0, -1)
        .join('.');
      const instead = getReplacement(key);
      if (instead !== '') {
        reportOperator(context, key, here, {}, 'in a value');
        continue;
      }
      const right = context.updates
        ? `expressions stand in an update that is a list: [{"$set": {"${path}": {"${key}": ...}}}]`
        : `write the path as one name: {"${path}": {"${key}": ...}}`;
      reportMisplaced(context, key, here, 'inside an object that is a value', right);
    } else if (isObject(inner)) checkWhole(context, inner, here, top);
  }
}

export function checkCondition(
  context: QueryCheckContext,
  json: QueryDefinition,
  field: QueryDefinition | null,
  at: string,
): void {
  for (const [key, inner] of toEntries(json)) {
    const here = joinPointer(at, key);
    if (isFilledName(context, key, here)) continue;
    if (!isOperator(key)) {
      const right = 'a field of it is named by its path, such as "address.city"';
      reportMisplaced(context, key, here, 'next to operators', right);
      continue;
    }
    const operand = FIELD_OPERATORS[key];
    if (operand === undefined) reportOperator(context, key, here, FIELD_OPERATORS, 'behind a field');
    else {
      checkOperatorType(context, key, field, here);
      checkOperand(context, operand, key, inner, field, here);
    }
  }
}

export function checkOperand(
  context: QueryCheckContext,
  operand: Operand,
  name: string,
  json: Json,
  field: QueryDefinition | null,
  at: string,
): void {
  const where = `behind "${name}"`;
  switch (operand) {
    case 'value':
      checkLiteral(context, json, field, at);
      return;
    case 'values':
      if (Array.isArray(json)) json.forEach((item: Json, i) => checkLiteral(context, item, field, joinPointer(at, i)));
      else if (!isValue(json)) reportWrongForm(context, json, at, where, 'a list of values');
      return;
    case 'numbers':
      if (!Array.isArray(json) || !json.every((item) => typeof item === 'number' || isValue(item as Json)))
        reportWrongForm(context, json, at, where, 'a list of numbers');
      return;
    case 'number':
    case 'text':
    case 'flag':
      checkScalar(context, operand, json, at, where);
      return;
    case 'query':
      checkQuery(context, json, at);
      return;
    case 'queries':
      if (!Array.isArray(json) || json.length === 0) reportWrongForm(context, json, at, where, 'a list of queries');
      else json.forEach((item: Json, i) => checkQuery(context, item, joinPointer(at, i)));
      return;
    case 'condition':
      if (isObject(json)) checkCondition(context, json, field, at);
      else reportWrongForm(context, json, at, where, 'operators: {"$gt": 1}');
      return;
    case 'element':
    case 'matching':
      checkElement(context, operand, json, operand === 'element' ? getElement(context, field) : field, at, where);
      return;
    case 'search':
      checkSearch(context, json, at);
      return;
    case 'expression':
      checkExpression(context, json, at);
      return;
    case 'constant':
      checkConstant(context, json, at, where);
      return;
    default:
  }
}

const SCALARS = {
  number: ['number', 'a number'],
  text: ['string', 'a text'],
  flag: ['boolean', 'true or false'],
} as const;

/** MongoDB accepts `{"$exists": 1}` as true. */
function checkScalar(
  context: QueryCheckContext,
  operand: keyof typeof SCALARS,
  json: Json,
  at: string,
  where: string,
): void {
  const [type, right] = SCALARS[operand];
  if (isValue(json) || typeof json === type || (operand === 'flag' && (json === 0 || json === 1))) return;
  reportWrongForm(context, json, at, where, right);
}

/** A query of objects, or a condition of scalar elements. */
function checkElement(
  context: QueryCheckContext,
  operand: 'element' | 'matching',
  json: Json,
  element: QueryDefinition | null,
  at: string,
  where: string,
): void {
  if (!isObject(json)) {
    if (operand === 'element') reportWrongForm(context, json, at, where, 'a query, or operators');
    return;
  }
  const properties = element?.['properties'];
  const known = isObject(properties) ? new Map(toFields(properties)) : null;
  const free = { ...context, known, isOpen: true };
  const isCondition = Object.keys(json).some((key) => Object.hasOwn(FIELD_OPERATORS, key));
  if (isCondition) checkCondition(free, json, element, at);
  else checkQuery(free, json, at);
}

function checkSearch(context: QueryCheckContext, json: Json, at: string): void {
  if (!isObject(json)) {
    reportWrongForm(context, json, at, 'behind "$text"', 'an object: {"$search": "words"}');
    return;
  }
  for (const [key, inner] of toEntries(json)) {
    const operand = SEARCH_FIELDS[key];
    if (operand === undefined) reportOperator(context, key, joinPointer(at, key), SEARCH_FIELDS, 'behind "$text"');
    else checkOperand(context, operand, key, inner, null, joinPointer(at, key));
  }
}

/** Constants of the definition, which must not contain request values. */
export function checkConstant(context: QueryCheckContext, json: Json, at: string, where: string): void {
  if (isValue(json)) context.findings.push({ code: 'DOC_CONSTANT', at, params: { text: json, where } });
  else if (Array.isArray(json))
    json.forEach((item: Json, i) => checkConstant(context, item, joinPointer(at, i), where));
  else if (isObject(json)) {
    for (const [key, inner] of toEntries(json)) checkConstant(context, inner, joinPointer(at, key), where);
  }
}

export function checkLiteral(context: QueryCheckContext, json: Json, field: QueryDefinition | null, at: string): void {
  if (reportIntended(context, json, at)) return;
  // `checkWhole` reports operators of another language.
  const isForeign = isObject(json) && Object.keys(json).some(isOperator);
  if (!isForeign) checkValue(context, json, field, at);
  if (isObject(json) && field !== null) checkProperties(context, json, field, at);
  const lists = Array.isArray(json) ? (json as readonly Json[]) : [];
  lists.forEach((item, i) => checkLiteral(context, item, null, joinPointer(at, i)));
  if (isObject(json)) checkWhole(context, json, at, at);
}

/** Literals inside an object with declared types. A time there may be any text. */
function checkProperties(context: QueryCheckContext, json: QueryDefinition, field: QueryDefinition, at: string): void {
  const properties = field['properties'];
  if (!isObject(properties)) return;
  for (const [key, inner] of toEntries(json)) {
    const declared = getOwn(properties, key) as Json | undefined;
    if (!isObject(declared) || getColumnType(context, declared) === 'timestamp') continue;
    const here = joinPointer(at, key);
    // `checkWhole` reports operators.
    if (isObject(inner) && Object.keys(inner).some(isOperator)) continue;
    checkValue(context, inner, declared, here);
    if (isObject(inner)) checkProperties(context, inner, declared, here);
  }
}
