/** Checks pipelines: known stages, and model fields as long as documents keep them. */
import { getOwn, isObject, type Json } from '../../../contract/json.js';
import type { Finding } from '../../../contract/plugin.js';
import {
  joinPointer,
  toEntries,
  findField,
  isFilledName,
  type QueryDefinition,
  type QueryCheckContext,
} from './check-context.light.js';
import { followStage } from './check-flow.light.js';
import { checkExpression } from './check-expression.light.js';
import { checkConstant, checkLiteral, checkOperand, checkQuery } from './check-query.light.js';
import { reportOperator, reportWrongForm } from './check-report.light.js';
import { STAGE_MEMBERS, STAGES, UPDATE_STAGES, type Operand, type Operators } from './operators.light.js';

/** Checks stages in order; each passes on the known field names. */
export function checkPipeline(context: QueryCheckContext, json: Json, at: string, stages: Operators = STAGES): void {
  if (!Array.isArray(json)) {
    reportWrongForm(context, json, at, 'here', 'a list of stages');
    return;
  }
  const where = stages === STAGES ? 'as a stage' : 'as a stage of an update';
  let now = context;
  json.forEach((stage: Json, i) => {
    const here = joinPointer(at, i);
    const names = isObject(stage) ? Object.keys(stage) : [];
    const [name] = names;
    if (!isObject(stage) || name === undefined || names.length > 1) {
      reportWrongForm(now, stage, here, 'here', 'an object with one stage');
      return;
    }
    const operand = stages[name];
    const inner = (stage as QueryDefinition)[name] ?? null;
    if (operand === undefined) {
      reportOperator(now, name, joinPointer(here, name), stages, where);
      now = { ...now, known: null };
      return;
    }
    checkStage(now, operand, name, inner, joinPointer(here, name));
    now = { ...now, ...followStage(now, name, inner) };
  });
}

function checkStage(context: QueryCheckContext, operand: Operand, name: string, json: Json, at: string): void {
  const where = `behind "${name}"`;
  switch (operand) {
    case 'fields':
      if (name === '$group' && isObject(json) && !Object.hasOwn(json, '_id'))
        context.findings.push({ code: 'DOC_GROUP', at, fix: createCountFix(at) });
      if (!isObject(json)) reportWrongForm(context, json, at, where, 'an object of names');
      else for (const [key, inner] of toEntries(json)) checkNamed(context, key, inner, joinPointer(at, key));
      return;
    case 'stages':
      checkPipeline(context, json, at, name === 'pipeline' ? STAGES : UPDATE_STAGES);
      return;
    case 'facets':
      if (!isObject(json)) reportWrongForm(context, json, at, where, 'an object of pipelines');
      else for (const [key, inner] of toEntries(json)) checkPipeline(context, inner, joinPointer(at, key));
      return;
    case 'object':
      checkMembers(context, name, json, at);
      return;
    case 'literal':
      checkLiteral(context, json, null, at);
      return;
    case 'constant':
      checkConstant(context, json, at, where);
      checkNames(context, name, json, at);
      return;
    default:
      checkOperand(context, operand, name, json, null, at);
  }
}

/** A null `_id` of `$group`; usually another key is intended. */
const createCountFix = (at: string): NonNullable<Finding['fix']> => ({
  title: 'group all documents: "_id": null',
  edits: [{ at: joinPointer(at, '_id'), put: null }],
  asks: true,
});

function checkNamed(context: QueryCheckContext, key: string, json: Json, at: string): void {
  if (!isFilledName(context, key, at)) checkExpression(context, json, at);
}

function checkMembers(context: QueryCheckContext, name: string, json: Json, at: string): void {
  const members = STAGE_MEMBERS[name];
  if (members === undefined) return;
  // A collection alone stands for its documents.
  if (name === '$unionWith' && typeof json === 'string') return checkStage(context, 'constant', 'coll', json, at);
  if (!isObject(json)) {
    reportWrongForm(context, json, at, `behind "${name}"`, `an object: ${Object.keys(members).join(', ')}`);
    return;
  }
  // Joined documents have their own fields.
  const joined = {
    ...context,
    origin: undefined,
    ...context.findModel(getOwn(json, name === '$unionWith' ? 'coll' : 'from') as Json | undefined),
  };
  for (const [key, value] of toEntries(json)) {
    const here = joinPointer(at, key);
    const operand = members[key];
    if (operand === undefined) reportOperator(context, key, here, members, `behind "${name}"`);
    else if (operand === 'query') checkQuery(joined, value, here);
    else checkStage(operand === 'stages' ? joined : context, operand, key, value, here);
  }
}

function checkNames(context: QueryCheckContext, name: string, json: Json, at: string): void {
  if (name === '$sort' && isObject(json)) {
    for (const key of Object.keys(json)) findField(context, key, { at: joinPointer(at, key), key: true });
  }
  if (name === '$unset') {
    const names = Array.isArray(json) ? (json as readonly Json[]) : [json];
    names.forEach((field, i) => {
      if (typeof field === 'string') findField(context, field, { at: Array.isArray(json) ? joinPointer(at, i) : at });
    });
  }
  if (name === '$unwind')
    checkExpression(
      context,
      isObject(json) ? ((json as QueryDefinition)['path'] ?? null) : json,
      isObject(json) ? `${at}/path` : at,
    );
}
