/** Checks document queries: operators, placeholders and model fields. */
import { asText, isObject, type Json } from '../../../contract/json.js';
import type { CheckAction, CheckPlace, Finding, FindingEdit } from '../../../contract/plugin.js';
import {
  joinPointer,
  findField,
  isOperator,
  type QueryDefinition,
  type KnownFields,
  type QueryCheckContext,
} from './check-context.light.js';
import { followArrayFilters } from './check-flow.light.js';
import { checkExpression } from './check-expression.light.js';
import { checkPipeline } from './check-pipeline.light.js';
import { checkConstant, checkOperand, checkQuery } from './check-query.light.js';
import { reportOperator, reportWrongForm } from './check-report.light.js';
import { checkDocument, checkEntries, checkUpdate } from './check-update.light.js';
import { parsePlaceholder } from '../../../language/strings/placeholder.js';
import { PROJECTION_OPERATORS } from './operators.light.js';

export function checkDocuments(place: CheckPlace): Finding[] {
  const { value, root, nearest, facts } = place;
  const action = findAction(place);
  const parameters = Array.isArray(value['parameters']) ? (value['parameters'] as readonly Json[]) : [];
  const findModel: QueryCheckContext['findModel'] = (collection) => {
    const found = action?.fieldsOf(asText(collection ?? null)) ?? null;
    return { model: found?.model ?? '', known: found && toKnownFields(found), isOpen: false };
  };
  const own = findModel(value['collection']);
  const context: QueryCheckContext = { findings: [], ...own, findModel, parameters, root, nearest, facts };
  checkPlaceholders(context, value);
  checkParts(context, value);
  return context.findings;
}

const findAction = ({ holder, root, actions }: CheckPlace): CheckAction | undefined => {
  const all = Array.isArray(root['actionables']) ? (root['actionables'] as readonly Json[]) : [];
  const index = all.findIndex((one) => isObject(one) && one['id'] === holder['id']);
  return actions.find((one) => one.index === index);
};

const toKnownFields = ({ names, fields }: Pick<CheckAction, 'names' | 'fields'>): KnownFields =>
  new Map(names.map((name) => [name, fields.get(name.toLowerCase()) ?? null]));

function checkParts(context: QueryCheckContext, value: QueryDefinition): void {
  const checkPart = (name: string, check: (json: Json, at: string) => void): void => {
    const json = value[name];
    if (json !== undefined) check(json, joinPointer('', name));
  };
  const dated = value['with_timestamp'] === true || value['with_timestamps'] === true;
  checkPart('filter_predicate', (json, at) => checkQuery(context, json, at));
  checkPart('update_predicate', (json, at) => checkUpdate(context, json, at, value['array_filters']));
  checkPart('pipeline', (json, at) => checkPipeline(context, json, at));
  checkPart('document', (json, at) => checkDocument(context, json, at, dated));
  checkPart('sort', (json, at) => checkSort(context, json, at));
  checkPart('projection', (json, at) => checkProjection(context, json, at));
  checkPart('array_filters', (json, at) => {
    const elements = { ...context, ...followArrayFilters(context, value['update_predicate']) };
    if (Array.isArray(json)) json.forEach((item: Json, i) => checkQuery(elements, item, joinPointer(at, i)));
  });
  if (asText(value['action']) === 'INSERT' && value['document'] === undefined) checkEntries(context, dated);
}

function checkSort(context: QueryCheckContext, json: Json, at: string): void {
  checkConstant(context, json, at, 'in a sort');
  if (!isObject(json)) return;
  for (const [key, order] of Object.entries(json as QueryDefinition)) {
    const here = joinPointer(at, key);
    if (isObject(order)) continue;
    if (isOperator(key)) reportOperator(context, key, here, {}, 'in a sort');
    else findField(context, key, { at: here, key: true });
  }
}

/** With 0 or 1 the name is a field; with an expression it is new. */
function checkProjection(context: QueryCheckContext, json: Json, at: string): void {
  if (!isObject(json)) {
    reportWrongForm(context, json, at, 'here', 'an object such as {"email": 1}');
    return;
  }
  checkMixture(context, json, at);
  for (const [key, inner] of Object.entries(json as QueryDefinition)) {
    const here = joinPointer(at, key);
    if (typeof inner === 'number' || typeof inner === 'boolean') {
      findField(context, key, { at: here, key: true });
      continue;
    }
    const [name] = isObject(inner) ? Object.keys(inner) : [];
    const operand = name === undefined ? undefined : PROJECTION_OPERATORS[name];
    if (name === undefined || operand === undefined) checkExpression(context, inner, here);
    else checkOperand(context, operand, name, (inner as QueryDefinition)[name] ?? null, null, joinPointer(here, name));
  }
}

/** A projection lists fields either to keep or to drop; only `_id` may differ. */
function checkMixture({ findings }: QueryCheckContext, json: QueryDefinition, at: string): void {
  const reported = Object.entries(json).filter(
    ([key, one]) => key !== '_id' && (typeof one === 'number' || typeof one === 'boolean'),
  );
  const [first, ...more] = reported;
  const different = more.find(([, one]) => Boolean(one) !== Boolean(first?.[1]));
  if (different !== undefined)
    findings.push({
      code: 'DOC_MIXED',
      at: joinPointer(at, different[0]),
      params: { name: different[0], first: first?.[0] ?? '' },
    });
}

/** An INSERT without a document uses the whole list. */
function checkPlaceholders({ findings, parameters }: QueryCheckContext, value: QueryDefinition): void {
  const used = new Set<number>();
  const places: { readonly n: number; readonly at: string }[] = [];
  const visit = (json: Json, at: string): void => {
    const n = parsePlaceholder(json);
    if (n !== null) {
      used.add(n);
      places.push({ n, at });
      if (n < 1 || n > parameters.length)
        findings.push({
          code: 'DOC_PARAMETER',
          at,
          params: { n, count: parameters.length },
          ...createAddFix(n, at, parameters),
        });
    } else if (Array.isArray(json)) json.forEach((item: Json, i) => visit(item, joinPointer(at, i)));
    else if (isObject(json))
      for (const [key, inner] of Object.entries(json as QueryDefinition)) visit(inner, joinPointer(at, key));
  };
  for (const [key, json] of Object.entries(value)) if (key !== 'parameters') visit(json, joinPointer('', key));
  if (asText(value['action']) === 'INSERT' && value['document'] === undefined) return;
  const unused = parameters.flatMap((_, i) => (used.has(i + 1) ? [] : [i + 1]));
  for (const n of unused) {
    // With several, the first edit would invalidate the next.
    const fix = unused.length === 1 ? createUnusedFix(n, parameters.length, places) : {};
    findings.push({ code: 'DOC_PARAMETER_UNUSED', at: joinPointer('/parameters', n - 1), params: { n }, ...fix });
  }
}

/** Adds the next parameter, named after the field of its placeholder. */
function createAddFix(n: number, at: string, parameters: readonly Json[]): Pick<Finding, 'fix'> {
  const keys = at.split('/').slice(2);
  const field = keys.findLast((key) => /^[A-Za-z_]/.test(key));
  if (n !== parameters.length + 1 || field === undefined || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(field)) return {};
  const edits = [{ at: '/parameters', add: [field] }];
  return { fix: { title: `add "${field}" to "parameters"`, edits, asks: true } };
}

/** Renumbers later placeholders; removes an empty list. */
function createUnusedFix(
  unused: number,
  count: number,
  places: readonly { readonly n: number; readonly at: string }[],
): Pick<Finding, 'fix'> {
  const at = count === 1 ? '/parameters' : joinPointer('/parameters', unused - 1);
  const behind = places.filter(({ n }) => n > unused);
  const edits: FindingEdit[] = behind.map(({ n, at }) => ({ at, span: [0, `$${n}`.length], text: `$${n - 1}` }));
  return { fix: { title: 'remove it', edits: [{ at, remove: true }, ...edits], asks: true } };
}
