/** Checks updates and new documents. An update without operators would replace whole documents and is rejected. */
import { asText, isObject, type Json } from '../../../contract/json.js';
import {
  joinPointer,
  getColumnType,
  getItemField,
  toEntries,
  findField,
  isFilledName,
  isOperator,
  isValue,
  type QueryDefinition,
  type QueryCheckContext,
} from './check-context.light.js';
import { checkPipeline } from './check-pipeline.light.js';
import { checkConstant, checkLiteral, checkOperand } from './check-query.light.js';
import { reportFilters } from './check-mistakes.light.js';
import { reportMisplaced, reportOperator, reportWrongForm } from './check-report.light.js';
import { getFieldName } from './insert-fields.light.js';
import { BIT_FIELDS, PUSH_MODIFIERS, UPDATE_OPERATORS, UPDATE_STAGES, type Operand } from './operators.light.js';
import { createRemovalFix } from '../../shared/field-removal.light.js';

export function checkUpdate(given: QueryCheckContext, json: Json, at: string, filters: Json | undefined): void {
  const context = { ...given, updates: true };
  if (Array.isArray(json)) {
    checkPipeline(context, json as Json, at, UPDATE_STAGES);
    return;
  }
  if (!isObject(json)) {
    reportWrongForm(context, json, at, 'here', 'an update: {"$set": {"name": ...}}');
    return;
  }
  const update = json as QueryDefinition;
  const keys = Object.keys(update);
  if (keys.length === 0 || !keys.some(isOperator)) {
    const fix = { title: 'write it in "$set"', edits: [{ at, within: '$set' }], asks: true } as const;
    context.findings.push({ code: 'DOC_REPLACE', at, ...(keys.length > 0 && { fix }) });
    return;
  }
  reportFilters(context, update, filters);
  for (const [key, inner] of toEntries(update)) {
    const here = joinPointer(at, key);
    if (isFilledName(context, key, here)) continue;
    const operand = UPDATE_OPERATORS[key];
    if (!isOperator(key)) {
      const right = `write {"$set": {"${key}": ...}}`;
      reportMisplaced(context, key, here, 'next to operators', right);
    } else if (operand === undefined) reportOperator(context, key, here, UPDATE_OPERATORS, 'in an update');
    else checkFields(context, key, operand, inner, here);
  }
}

function checkFields(context: QueryCheckContext, name: string, operand: Operand, json: Json, at: string): void {
  if (!isObject(json)) {
    reportWrongForm(context, json, at, `behind "${name}"`, 'an object of names of fields');
    return;
  }
  const entries = toEntries(json);
  if (entries.length === 0)
    context.findings.push({ code: 'DOC_NOTHING', at, params: { name }, ...createRemovalFix(at) });
  for (const [key, inner] of entries) {
    const here = joinPointer(at, key);
    if (isFilledName(context, key, here)) continue;
    if (isOperator(key)) {
      reportOperator(context, key, here, UPDATE_OPERATORS, `behind "${name}"`);
      continue;
    }
    const field = findField(context, key, { at: here, key: true });
    // A document created by an upsert may set its key.
    if (name !== '$setOnInsert') checkKey(context, key, field, here);
    checkChange(context, name, operand, inner, field, here);
  }
}

function checkKey(
  { findings, model }: QueryCheckContext,
  key: string,
  field: QueryDefinition | null,
  at: string,
): void {
  if (key === '_id') findings.push({ code: 'DOC_ID', at, key: true });
  else if (field?.['primary_key'] === true)
    findings.push({ code: 'DOC_KEY', at, key: true, params: { name: key, model } });
}

function checkChange(
  context: QueryCheckContext,
  name: string,
  operand: Operand,
  json: Json,
  field: QueryDefinition | null,
  at: string,
): void {
  const where = `behind "${name}"`;
  switch (operand) {
    case 'value':
      checkLiteral(context, json, field, at);
      return;
    case 'number':
      if (typeof json !== 'number' && !isValue(json)) reportWrongForm(context, json, at, where, 'a number');
      else checkNumeric(context, field, name, at);
      return;
    case 'pushed':
      checkList(context, field, name, at);
      checkPushed(context, name, json, getItemField(context, field), at);
      return;
    case 'object':
      for (const [key, inner] of isObject(json) ? toEntries(json) : []) {
        const bit = BIT_FIELDS[key];
        if (bit === undefined) reportOperator(context, key, joinPointer(at, key), BIT_FIELDS, where);
        else checkOperand(context, bit, key, inner, null, joinPointer(at, key));
      }
      return;
    case 'constant':
      checkConstant(context, json, at, where);
      return;
    default:
      if (operand === 'matching' || operand === 'values') checkList(context, field, name, at);
      // List elements have types of their own.
      if (operand === 'matching' && !isObject(json)) checkLiteral(context, json, getItemField(context, field), at);
      else checkOperand(context, operand, name, json, getItemField(context, field), at);
  }
}

function checkNumeric(context: QueryCheckContext, field: QueryDefinition | null, name: string, at: string): void {
  const column = field === null ? null : getColumnType(context, field);
  if (column === null || ['integer', 'float', 'json'].includes(column)) return;
  context.findings.push({ code: 'DOC_NOT_NUMERIC', at, key: true, params: { name, type: asText(field?.['type']) } });
}

function checkList(context: QueryCheckContext, field: QueryDefinition | null, name: string, at: string): void {
  const column = field === null ? null : getColumnType(context, field);
  if (column === null || column === 'json') return;
  context.findings.push({ code: 'DOC_NO_LIST', at, key: true, params: { name, type: asText(field?.['type']) } });
}

function checkPushed(
  context: QueryCheckContext,
  name: string,
  json: Json,
  items: QueryDefinition | null,
  at: string,
): void {
  if (!isObject(json) || !Object.keys(json).some(isOperator)) {
    checkLiteral(context, json, items, at);
    return;
  }
  for (const [key, inner] of toEntries(json)) {
    const operand = PUSH_MODIFIERS[key];
    if (operand === undefined) reportOperator(context, key, joinPointer(at, key), PUSH_MODIFIERS, `behind "${name}"`);
    else checkOperand(context, operand, key, inner, operand === 'values' ? items : null, joinPointer(at, key));
  }
}

export function checkDocument(context: QueryCheckContext, json: Json, at: string, dated: boolean): void {
  if (!isObject(json)) {
    const right = Array.isArray(json) ? 'one document, repeated by "multi",' : 'an object of names of fields';
    reportWrongForm(context, json, at, 'here', right);
    return;
  }
  const names: string[] = [];
  for (const [key, inner] of toEntries(json)) {
    const here = joinPointer(at, key);
    if (isFilledName(context, key, here)) continue;
    names.push(key);
    if (isOperator(key)) reportOperator(context, key, here, {}, 'in a document');
    else checkLiteral(context, inner, findField(context, key, { at: here, key: true }), here);
  }
  checkRequired(context, names, dated);
}

/** Without a document, each entry of `parameters` is a field, named by the entry or its last segment. */
export function checkEntries(context: QueryCheckContext, dated: boolean): void {
  const names: string[] = [];
  context.parameters.forEach((entry, i) => {
    const at = joinPointer('/parameters', i);
    const name = getFieldName(entry);
    if (name === null) context.findings.push({ code: 'DOC_ENTRY', at, params: { text: JSON.stringify(entry) } });
    else {
      names.push(name);
      const span = [asText(entry).length - name.length, asText(entry).length] as const;
      findField(context, name, { at, span });
    }
  });
  if (names.length === context.parameters.length) checkRequired(context, names, dated);
}

const TIMESTAMPS = ['created_at', 'updated_at'];

function checkRequired({ findings, known, model }: QueryCheckContext, names: readonly string[], dated: boolean): void {
  // With a misspelled name, the missing field is probably that one.
  if (known === null || names.some((name) => !known.has(name) && name !== '_id' && !TIMESTAMPS.includes(name))) return;
  const lacking = [...known].flatMap(([name, field]) => {
    const given = names.includes(name) || name === '_id' || (dated && TIMESTAMPS.includes(name));
    return given || field === null || !isNeeded(field) ? [] : [`"${name}"`];
  });
  if (lacking.length > 0)
    findings.push({ code: 'DOC_NEEDED', at: '/collection', params: { model, fields: lacking.join(', ') } });
}

const isNeeded = (field: QueryDefinition): boolean =>
  field['optional'] !== true && field['auto_increment'] !== true && field['default'] === undefined;
