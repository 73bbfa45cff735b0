/** Writes a found table as a model file. Pure. */
import type { FoundTable } from '../../contract/found-tables.js';
import type { JsonObject } from '../../contract/json.js';
import type { ModelColumn } from '../../contract/model.js';
import { Slot } from '../../contract/slot.js';
import type { Registry } from '../../language/analysis/registry.js';
import { formatInline } from '../../language/export/json-text.js';

/** The name of a field type that holds such columns; null: no plugin has one. */
export function findFieldType(registry: Registry, { type, holds }: Pick<ModelColumn, 'type' | 'holds'>): string | null {
  const kind = registry.listKinds(Slot.MODEL_FIELD)[0]?.kind ?? '';
  const names = registry.names(kind).filter((name) => {
    const facts = registry.plugin(kind, name)?.facts;
    return facts?.column === type && facts.holds === holds?.form;
  });
  return names[0] ?? null;
}

function describeField(column: ModelColumn, type: string, modelOf: (table: string) => string): JsonObject {
  const { primaryKey, autoIncrement, maxLength, nullable, unique, index, search, references } = column;
  return {
    type,
    ...(primaryKey && { primary_key: true }),
    ...(autoIncrement && { auto_increment: true }),
    ...(maxLength !== null && { max_length: maxLength }),
    ...(nullable && { optional: true }),
    ...(unique && { unique: true }),
    ...(index && { indexable: true }),
    ...(search && { fts: true }),
    ...(references && { foreign_key: { of: modelOf(references.table), key: references.column } }),
  };
}

/** A comment ends at every character that ends a line for some reader. */
const writeComment = (text: string | null | undefined, indent: string): string[] =>
  (text ?? '').trim() === ''
    ? []
    : (text ?? '')
        .trim()
        .split(/[\r\n\u0085\u2028\u2029\v\f]+/)
        .map((line) => `${indent}// ${line.replaceAll(/\p{Cc}/gu, ' ').trim()}`.trimEnd());

export interface ModelTextInput {
  readonly found: FoundTable;
  /** Null: the main one. */
  readonly connection: string | null;
  readonly registry: Registry;
  readonly modelOf: (table: string) => string;
}

/** What stands next to the fields. */
export function listModelOptions({ table }: FoundTable, connection: string | null): Readonly<Record<string, unknown>> {
  const combinations = table.uniques.filter((one) => one.length > 1);
  return {
    ...(table.table !== table.model && { table: table.table }),
    ...(connection !== null && { connection }),
    ...(combinations.length > 0 && { unique: combinations }),
  };
}

export function writeModel({ found, connection, registry, modelOf }: ModelTextInput): string {
  const { table, comment, columnComments } = found;
  const options = Object.entries(listModelOptions(found, connection)).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${formatInline(value)},`,
  );
  const fields = table.columns.flatMap((column) => {
    const type = findFieldType(registry, column);
    if (type === null) return [];
    const field = formatInline(describeField(column, type, modelOf));
    return [...writeComment(columnComments.get(column.name), '  '), `  ${JSON.stringify(column.name)}: ${field},`];
  });
  const lines = [...options, ...fields];
  // No comma behind the last member: JSON readers that allow comments may not allow it.
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? '').replace(/,$/, '');
  return [...writeComment(comment, ''), '{', ...lines, '}', ''].join('\n');
}
