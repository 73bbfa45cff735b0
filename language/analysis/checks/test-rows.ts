/** Checks the rows of tests against the models. Reports only values that no store accepts, or that no row has. */
import { canHoldValue, canStoreValue, RIGHT } from '../../../contract/column-values.js';
import { asText, isObject, type Json, type JsonObject } from '../../../contract/json.js';
import { TIMESTAMPS } from '../../../contract/model.js';
import type { PluginFacts } from '../../../contract/plugin.js';
import type { Document } from '../../source/document.js';
import { findNearest } from '../../source/suggest.js';
import { findMember, toJson, toJsonObject, type LocatedNode, type Member } from '../../source/tree.js';
import { listAccessors } from '../../strings/accessor.js';
import type { Definition } from '../model.js';
import type { Registry } from '../registry.js';
import { createRenameFix, formatHint, type Report } from '../report.js';
import type { Lookups } from '../stage-cache.js';
import type { Stores } from '../stores.js';
import type { TableNames } from '../tables.js';
import { findValue, listCases, listItems, listTables, listTestTables, type TestRow } from '../test-tables.js';
import { canBeMatcher } from '../verbatim.js';
import { getColumnFacts } from './types.js';

export interface TestedModels {
  readonly models: ReadonlyMap<string, Definition>;
  readonly stores: Stores;
}

export interface RowContext {
  readonly registry: Registry;
  readonly tables: TableNames;
  /** Scripts of the project may have written rows, and changed columns. */
  readonly isSeeded: boolean;
  readonly lookups: Lookups<TestedModels>;
}

interface RowReport extends RowContext {
  readonly doc: Document;
  readonly report: Report;
}

interface TestedModel {
  readonly name: string;
  readonly fields: ReadonlyMap<string, JsonObject>;
  /** Of documents: the key that the store makes itself. Null: the rows are those of a table. */
  readonly documentKey: string | null;
  /** The connections that enforce its foreign keys. */
  readonly connections: readonly string[];
}

export function checkRows(context: RowContext, definition: Definition, report: Report): void {
  const reporting = { ...context, doc: definition.doc, report };
  for (const { table, rows } of listTestTables(definition)) {
    const model = readModel(context, table.key);
    if (model === null) continue;
    for (const { node, use } of rows) {
      for (const member of node.members) checkColumn(reporting, model, use, member);
      if (use === 'insert' && node.type === 'object') checkNeeded(reporting, model, node);
    }
  }
  if (!context.isSeeded) checkReferences(reporting, definition);
}

function readModel({ registry, tables, lookups: { readAnswer } }: RowContext, table: string): TestedModel | null {
  const name = tables.findModel(table);
  const model = name === undefined ? undefined : readAnswer(`model ${name}`, ({ models }) => models.get(name));
  if (name === undefined || model === undefined) return null;
  const places = readAnswer(`stores of ${name}`, ({ stores }) =>
    stores.listStores(name).map(({ kind, instance }) => `${kind} ${instance}`),
  );
  const kinds = places.map((place) => registry.kinds.get(place.split(' ')[0] ?? '')?.config?.models);
  const keys = kinds.flatMap((one) => one?.key ?? []);
  return {
    name,
    fields: new Map(model.node.members.flatMap(({ key, value }) => (value ? [[key, toJsonObject(value)]] : []))),
    documentKey: keys.length === places.length ? (keys[0] ?? null) : null,
    connections: places.filter((_, i) => kinds[i]?.references === true),
  };
}

/** Undefined for a matcher, and for what an earlier step decides. */
function readConstant(node: LocatedNode | null, use: TestRow['use']): Json | undefined {
  if (node === null || (use === 'compare' && canBeMatcher(node))) return undefined;
  const json = toJson(node);
  return typeof json === 'string' && listAccessors(json).length > 0 ? undefined : json;
}

function checkColumn(
  { registry, isSeeded, doc, report }: RowReport,
  { name, fields, documentKey }: TestedModel,
  use: TestRow['use'],
  { key, value }: Member,
): void {
  const field = fields.get(key);
  const json = readConstant(value, use);
  if (value === null || field === undefined || json === undefined || key === documentKey) return;
  const isExact = documentKey !== null || (use === 'compare' && !isSeeded);
  const wrong =
    json === null
      ? !hasDefault(field, documentKey) && { right: `a value, or make it \`optional\` in the model "${name}"` }
      : explainValue(getColumnFacts(registry, field), field, json, {
          isExact,
          isCompared: isExact && use === 'compare',
        });
  if (wrong === false || wrong === null) return;
  const { actual = JSON.stringify(json), right, meant } = wrong;
  const text = meant === undefined ? '' : JSON.stringify(meant);
  report.add(
    'TST_VALUE',
    { doc, start: value.start, end: value.end },
    { column: key, type: asText(field['type']), actual: actual.length > LONGEST ? 'this value' : actual, right },
    meant === undefined ? {} : { fix: { title: `write ${text}`, text } },
  );
}

const LONGEST = 60;

/** A row may lack it, or have null. */
const hasDefault = (field: JsonObject, documentKey: string | null): boolean =>
  field['optional'] === true ||
  field['auto_increment'] === true ||
  (documentKey !== null && field['primary_key'] === true);

interface WrongValue {
  readonly actual?: string;
  readonly right: string;
  readonly meant?: Json | undefined;
}

/** `isExact`: values of other types are not converted. */
function explainValue(
  { column = 'json', holds }: PluginFacts,
  field: JsonObject,
  json: Json,
  { isExact, isCompared }: { readonly isExact: boolean; readonly isCompared: boolean },
): WrongValue | null {
  const canHave = (one: Json): boolean =>
    isExact ? canHoldValue(column, one) || (isCompared && isReadAsText(column, one)) : canStoreValue(column, one);
  if (!canHave(json)) {
    const right = column === 'text' && isExact ? 'a text' : (RIGHT[column] ?? '');
    return { right, meant: listOthers(json).find(canHave) };
  }
  const isHeld = (one: Json): boolean =>
    holds === undefined || (holds === 'array' && isExact ? Array.isArray(one) : typeof one === 'object');
  if (!isHeld(json)) return { right: holds === 'array' ? 'a list' : 'an object', meant: listOthers(json).find(isHeld) };
  const { max_length: most } = field;
  const length = column === 'text' && typeof json === 'string' ? [...json].length : 0;
  if (typeof most === 'number' && length > most)
    return { actual: `a text of ${length} characters`, right: `at most ${most}` };
  return isCompared && column === 'timestamp' && typeof json === 'string' ? explainTime(json) : null;
}

/** Values without a form in JSON: long numbers, infinity. */
const isReadAsText = (column: string, json: Json): boolean =>
  typeof json === 'string' &&
  canStoreValue(column, json) &&
  (column === 'timestamp' ? /^-?inf|bc$/i.test(json) : json.length > 15 || !Number.isFinite(Number(json)));

/** Rows have times in one form only. */
function explainTime(text: string): WrongValue | null {
  if (!/^\d{4}-/.test(text) || /T\d\d:\d\d:\d\d\.\d{3,}(?:Z|[+-]\d\d:\d\d)$/.test(text)) return null;
  const isCertain = /^[\d-]{10}$|(?:Z|[+-]\d\d:?\d\d)$/i.test(text);
  const meant = isCertain ? new Date(text.replace(' ', 'T')).toISOString() : undefined;
  return {
    right: `the time as it is read, ${meant === undefined ? 'such as "2030-01-31T12:00:00.000Z"' : `"${meant}"`}`,
    meant,
  };
}

/** What a number in quotes, or a text without, is probably meant to be. */
function listOthers(json: Json): Json[] {
  if (typeof json !== 'string') return typeof json === 'object' ? [] : [String(json)];
  try {
    return [JSON.parse(json) as Json];
  } catch {
    return [];
  }
}

function checkNeeded({ doc, report }: RowReport, { name, fields, documentKey }: TestedModel, row: LocatedNode): void {
  const lacking = [...fields].flatMap(([key, field]) =>
    hasDefault(field, documentKey) || key === documentKey || TIMESTAMPS.includes(key) || findMember(row, key)
      ? []
      : [`"${key}"`],
  );
  const spot = { doc, start: row.start, end: row.start + 1 };
  if (lacking.length > 0) report.add('TST_NEEDED', spot, { columns: lacking.join(', '), model: name });
}

/** Rows of `given`, and those that steps insert before anything else can have changed the tables. */
function checkReferences(context: RowReport, { node }: Definition): void {
  const own = listGivenRows(context, node);
  const cases = listCases(node);
  const reported = new Set<LocatedNode>();
  for (const one of cases.length === 0 ? [node] : cases) {
    const rows = [...own, ...(one === node ? [] : listGivenRows(context, one))];
    for (const row of rows) checkReference(context, row, rows, reported);
    for (const step of listItems(one, 'steps')) {
      const inserted = toRows(context, findValue(step, 'insert'));
      if (findMember(step, 'delete') || findMember(step, 'update')) break;
      rows.push(...inserted);
      for (const row of inserted) checkReference(context, row, rows, reported);
      if (step.members.some(({ key }) => key !== 'insert')) break;
    }
  }
}

interface InsertedRow {
  readonly model: TestedModel;
  readonly node: LocatedNode;
}

const listGivenRows = (context: RowContext, around: LocatedNode): InsertedRow[] =>
  toRows(context, findValue(findValue(around, 'given'), 'tables'));

const toRows = (context: RowContext, tables: LocatedNode | null): InsertedRow[] =>
  listTables(tables, 'insert').flatMap(({ table, rows }) => {
    const model = readModel(context, table.key);
    return model === null ? [] : rows.map(({ node }) => ({ model, node }));
  });

const toText = (json: Json = null): string => (typeof json === 'string' ? json : JSON.stringify(json));

function checkReference(
  context: RowReport,
  { model, node }: InsertedRow,
  rows: readonly InsertedRow[],
  reported: Set<LocatedNode>,
): void {
  for (const { key: column, value } of node.members) {
    const reference = model.fields.get(column)?.['foreign_key'];
    const json = readConstant(value, 'insert') ?? null;
    if (value === null || json === null || !isObject(reference) || reported.has(value)) continue;
    const [key, target] = [asText(reference['key']), readModel(context, asText(reference['of']))];
    if (target?.connections.some((place) => model.connections.includes(place)) !== true) continue;
    const known = rows.flatMap((one) =>
      one.model.name === target.name ? [readConstant(findValue(one.node, key), 'insert')] : [],
    );
    if (known.some((one) => one === undefined || toText(one) === toText(json))) continue;
    reported.add(value);
    const near = findNearest(toText(json), known.map(toText));
    const table = context.tables.getTable(target.name);
    const params = { table, key, value: JSON.stringify(json), column, hint: formatHint(near) };
    const { doc } = context;
    context.report.add('TST_REFERENCE', { doc, start: value.start, end: value.end }, params, createRenameFix(near));
  }
}
