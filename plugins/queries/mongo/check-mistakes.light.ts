/**
 * Notations from shells, drivers and SQL: `ObjectId("...")`, payload names without accessor, operators of other
 * languages.
 */
import type { Json } from '../../../contract/json.js';
import {
  joinPointer,
  toEntries,
  isOperator,
  type QueryDefinition,
  type QueryCheckContext,
} from './check-context.light.js';

const INSTEAD: Readonly<Record<string, string>> = {
  $like: 'text is searched by {"$regex": "^$PAYLOAD.q", "$options": "i"}',
  $ilike: 'text is searched by {"$regex": "^$PAYLOAD.q", "$options": "i"}',
  $startsWith: 'write {"$regex": "^$PAYLOAD.q"}',
  $contains: 'a list that has a value is found by the value alone: {"tags": "$PAYLOAD.tag"}',
  $includes: 'a list that has a value is found by the value alone: {"tags": "$PAYLOAD.tag"}',
  $between: 'write {"$gte": ..., "$lte": ...}',
  $is: 'write {"$eq": ...}, or the value alone',
  $equals: 'write {"$eq": ...}, or the value alone',
  $greater: 'write "$gt"',
  $less: 'write "$lt"',
  $notIn: 'write "$nin"',
  $isNull: 'write {"field": null}',
  $oid: 'an id is written as the text alone: {"_id": "$PAYLOAD.id"}',
  $date: 'a time is written as the text alone: "2030-01-31T12:00:00Z", or "$DATETIME"',
  $numberLong: 'a number is written as it is',
  $increment: 'write "$inc"',
  $decrement: 'write {"$inc": {"field": -1}}',
  $append: 'write "$push"',
  $remove: 'a field is taken away by "$unset", an element of a list by "$pull"',
  $delete: 'a field is taken away by "$unset"',
  $toggle: 'write the update as a list of stages: [{"$set": {"done": {"$not": "$done"}}}]',
};

export const getReplacement = (name: string): string =>
  Object.hasOwn(INSTEAD, name) ? ` ${capitalize(INSTEAD[name] ?? '')}.` : '';
const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The operator tables detect those that lack only the dollar sign. */
const SIGNS: Readonly<Record<string, string>> = {
  '=': '$eq',
  '==': '$eq',
  '===': '$eq',
  '!=': '$ne',
  '<>': '$ne',
  '>': '$gt',
  '>=': '$gte',
  '<': '$lt',
  '<=': '$lte',
};

/** Names that are unlikely to be fields of a value. */
const BARE = new Set(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'regex', 'elemMatch']);
const findOperator = (name: string): string | undefined =>
  Object.hasOwn(SIGNS, name) ? SIGNS[name] : BARE.has(name) ? `$${name}` : undefined;

/** `{"or": [...]}`: a list of queries belongs to a logical operator, not to a field. */
export const findLogicalOperator = (name: string): string | undefined =>
  ['and', 'or', 'nor', 'AND', 'OR', 'NOR'].includes(name) ? `$${name.toLowerCase()}` : undefined;

/** `{"age": {"gt": 1}}`: an object with only operator names is intended as operators. */
export function reportBareOperators(context: QueryCheckContext, json: QueryDefinition, at: string): boolean {
  const keys = Object.keys(json);
  const intended = keys.flatMap((key) => findOperator(key) ?? []);
  if (keys.length === 0 || intended.length < keys.length) return false;
  keys.forEach((key, i) => reportDollar(context, key, intended[i] ?? key, joinPointer(at, key)));
  return true;
}

export function reportDollar({ findings }: QueryCheckContext, name: string, right: string, at: string): void {
  const fix = { title: `change to "${right}"`, text: JSON.stringify(right) };
  findings.push({ code: 'DOC_DOLLAR', at, key: true, params: { name, right }, fix });
}

interface IntendedValue {
  readonly isCall: boolean;
  readonly right: string;
  readonly isCertain: boolean;
}

const ACCESSOR = /^\$[A-Z]/;
const IDS = /^(?:new\s+)?(?:mongoose\.)?(?:Types\.)?ObjectI[dD]\s*\(\s*(.*?)\s*\)$/;
const TIMES = /^(?:new\s+)?(?:ISODate|Date)\s*\(\s*(.*?)\s*\)$/;
const NOW = /^(?:NOW|now|CURRENT_TIMESTAMP|Date\.now|getdate|GETDATE|moment|dayjs)\s*(?:\(\s*\))?$/;
const NUMBERS = /^(?:NumberLong|NumberInt|NumberDecimal|Long|Int32)\s*\(\s*['"]?(-?\d+(?:\.\d+)?)['"]?\s*\)$/;
const REQUEST =
  /^(?:req(?:uest)?\.(?:body|params|query)|payload|body|\$(?:body|req\.body|request\.body))\.([A-Za-z_][\w.]*)$/;
/** Accessors in wrong letter case, which would be plain text. */
const OTHER_LETTERS = /^\$(?:(payload|protected|header|env|generator)((?:\.[\w-]+)+)|(datetime))$/i;
const HOLDER = /^(?:\?|:[A-Za-z_]\w*|@[A-Za-z_]\w*|%s)$/;

const stripQuotes = (text: string): string => text.replace(/^['"`]|['"`]$/g, '');

/** The intended meaning of a field's value; null for ordinary text. */
function findIntended(text: string, field: string): IntendedValue | null {
  const id = IDS.exec(text)?.[1];
  if (id !== undefined) {
    const isText = /^[0-9a-f]{24}$/i.test(stripQuotes(id)) || ACCESSOR.test(id);
    return { isCall: true, right: isText ? stripQuotes(id) : '$GENERATOR.BSON', isCertain: isText || id === '' };
  }
  const time = TIMES.exec(text)?.[1];
  if (time !== undefined && time !== '') return { isCall: true, right: stripQuotes(time), isCertain: true };
  if (time === '' || NOW.test(text)) return { isCall: true, right: '$DATETIME', isCertain: true };
  const number = NUMBERS.exec(text)?.[1];
  if (number !== undefined) return { isCall: true, right: number, isCertain: false };
  const path = REQUEST.exec(text)?.[1];
  if (path !== undefined) return { isCall: false, right: `$PAYLOAD.${path}`, isCertain: true };
  const isName = text === field.split('.').at(-1) || text === `$${field}`;
  if (isName) return { isCall: false, right: `$PAYLOAD.${text.replace('$', '')}`, isCertain: true };
  return HOLDER.test(text) ? { isCall: false, right: '$1', isCertain: true } : null;
}

/** True when the text was reported and needs no further check. */
export function reportIntended({ findings }: QueryCheckContext, json: Json, at: string): boolean {
  if (typeof json !== 'string') return false;
  const right = toUpperAccessor(json.trim());
  if (right !== null) {
    const fix = { title: `change to ${right}`, text: JSON.stringify(right) };
    findings.push({ code: 'TPL_VALUE', at, params: { template: json, right }, fix });
    return true;
  }
  return reportText(findings, json, at);
}

function toUpperAccessor(text: string): string | null {
  const [, root, path = '', alone] = OTHER_LETTERS.exec(text) ?? [];
  const right = root === undefined ? alone && `$${alone.toUpperCase()}` : `$${root.toUpperCase()}${path}`;
  return right === undefined || right === text ? null : right;
}

function reportText(findings: QueryCheckContext['findings'], json: string, at: string): boolean {
  const segments = at.split('/').slice(1);
  const field = segments.findLast((segment) => !isOperator(segment) && !/^\d+$/.test(segment)) ?? '';
  const intended = findIntended(json.trim(), field);
  if (intended === null) return false;
  const { isCall, right, isCertain } = intended;
  const shown = isCall && NUMBERS.test(json) ? right : JSON.stringify(right);
  const fix = isCertain ? { fix: { title: `change to ${shown}`, text: shown } } : {};
  if (isCall) findings.push({ code: 'DOC_CODE', at, params: { right: shown }, ...fix });
  else findings.push({ code: 'DOC_TEXT', at, params: { text: json, right: shown }, ...fix });
  return isCall;
}

/** Reports `"tags.$[t]"` without an entry in `array_filters`, and paths written twice. */
export function reportFilters(
  { findings }: QueryCheckContext,
  update: QueryDefinition,
  filters: Json | undefined,
): void {
  const listed = Array.isArray(filters) ? (filters as readonly Json[]) : [];
  const known = new Set(
    listed.flatMap((one) =>
      typeof one === 'object' && one !== null ? Object.keys(one).map((key) => key.split('.')[0]) : [],
    ),
  );
  const seen = new Set<string>();
  for (const [operator, fields] of toEntries(update)) {
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) continue;
    for (const path of Object.keys(fields)) {
      const at = joinPointer(joinPointer('/update_predicate', operator), path);
      const name = /\$\[([A-Za-z]\w*)\]/.exec(path)?.[1];
      if (name !== undefined && !known.has(name))
        findings.push({ code: 'DOC_FILTER', at, key: true, params: { name } });
      const other = [...seen].find((one) => one === path || one.startsWith(`${path}.`) || path.startsWith(`${one}.`));
      if (other !== undefined) findings.push({ code: 'DOC_TWICE', at, key: true, params: { name: path, other } });
      seen.add(path);
    }
  }
}
