/**
 * Adds nullable timestamp columns that statements use and models do not define, with a hint. Ambiguous models get
 * none.
 */
import { CREATED, DELETED, TIMESTAMPS, UPDATED } from '../../contract/model.js';
import type { LocatedNode } from '../source/tree.js';
import { memoize } from './memoize.js';
import { findChange } from './query-changes.js';
import type { DocumentQuery, SqlText } from './facts.js';
import type { Definition } from './model.js';
import type { Registry } from './registry.js';
import type { Report, Span, SourceLocation } from './report.js';
import { locateInText, type TableNames } from './tables.js';

export interface TimestampUse {
  readonly model: string;
  readonly name: string;
  readonly spot: SourceLocation;
}

export function findTimestamps(definition: Definition, tables: TableNames, registry: Registry): TimestampUse[] {
  const { statements, documents } = definition.finds;
  return [
    ...statements.flatMap((statement) => listStatementUses(definition, statement, tables)),
    ...documents.flatMap((query) => listDocumentUses(definition, query, tables, registry)),
  ];
}

export function addTimestamps(wanted: readonly TimestampUse[], tables: TableNames, report: Report): TableNames {
  const added = new Map<string, string[]>();
  for (const { model, name, spot } of wanted) {
    const known = added.get(model) ?? [];
    if (tables.listFields(model).includes(name) || known.includes(name)) continue;
    added.set(model, [...known, name]);
    report.add('LNK_TIMESTAMP_ADDED', spot, { model, name });
  }
  const addedTo = (model: string): readonly string[] => added.get(model) ?? [];
  const grown = new Map([...added].map(([model, names]) => [model, [...tables.listFields(model), ...names]]));
  return { ...tables, listAddedFields: addedTo, listFields: (model) => grown.get(model) ?? tables.listFields(model) };
}

export const listTimestampMentions = memoize(({ language, scan }: SqlText) => language.listMentions(scan, TIMESTAMPS));

function listStatementUses(definition: Definition, statement: SqlText, tables: TableNames): TimestampUse[] {
  const { language, scan, node, timestamps, softDelete } = statement;
  const written = listTimestampMentions(statement).flatMap((mention) => {
    const model = findIntendedModel(mention.name, mention.tables, scan.target?.name ?? null, tables);
    return model === null ? [] : [{ model, name: mention.name, spot: locateInText(definition, node, mention) }];
  });
  const target = scan.target === null ? undefined : tables.findModel(scan.target.name);
  if (target === undefined || (timestamps === null && softDelete === null)) return written;
  const wish = { timestamps: timestamps !== null, softDelete: softDelete !== null };
  const switched = language.listStamped(scan, wish).flatMap((name) => {
    const by = name === DELETED ? softDelete : timestamps;
    return by === null ? [] : [{ model: target, name, spot: { doc: definition.doc, start: by.start, end: by.end } }];
  });
  return [...written, ...switched];
}

/** Names that pipeline stages create do not count. */
function listDocumentUses(
  definition: Definition,
  query: DocumentQuery,
  tables: TableNames,
  registry: Registry,
): TimestampUse[] {
  const { collection, around, timestamps, softDelete } = query;
  const model = tables.findModel(collection);
  if (model === undefined) return [];
  const found: TimestampUse[] = [];
  const addUse = (name: string, { start, end }: Span): void => {
    if (TIMESTAMPS.includes(name)) found.push({ model, name, spot: { doc: definition.doc, start, end } });
  };
  const visit = (node: LocatedNode, named: boolean): void => {
    if (node.type === 'string' && String(node.scalar).startsWith('$')) addUse(String(node.scalar).slice(1), node);
    for (const item of node.items) visit(item, false);
    for (const { key, keyStart, keyEnd, value } of node.members) {
      if (named) addUse(key, { start: keyStart, end: keyEnd });
      if (value !== null) visit(value, named);
    }
  };
  visit(around, true);
  const changes = findChange(definition, query, registry) !== null;
  if (timestamps !== null) for (const name of changes ? [UPDATED] : [CREATED, UPDATED]) addUse(name, timestamps);
  if (softDelete !== null) addUse(DELETED, softDelete);
  return found;
}

/** The written table, else the first; null if a table is unknown or has the column. */
function findIntendedModel(
  name: string,
  names: readonly string[],
  target: string | null,
  tables: TableNames,
): string | null {
  const models = names.map((table) => tables.findModel(table));
  const [first] = models;
  if (first === undefined || models.includes(undefined)) return null;
  if (models.some((model) => model !== undefined && tables.listFields(model).includes(name))) return null;
  return (target !== null && names.includes(target) ? tables.findModel(target) : undefined) ?? first;
}
