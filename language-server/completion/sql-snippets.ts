/** Offers whole statements for each model, with their parameters, while the text is empty. */
import type { CompletionItem, Range } from 'vscode-languageserver';
import { CompletionItemKind, InsertTextFormat } from '../protocol.js';
import type { DataModel } from '../../language/analysis/model.js';
import { TIMESTAMPS } from '../../contract/model.js';
import { escapeJsonText } from '../json-string.js';
import { isOptionSet, type QueryContext } from '../queries/query-context.js';
import { tableMarkdown } from '../queries/tables.js';
import type { CursorContext, DocumentContext } from '../document-context.js';
import { escapeSnippet } from './edit.js';
import { addParameters } from './parameter-edit.js';

interface Statement {
  readonly label: string;
  readonly text: string;
  /** Names of the values, in placeholder order. */
  readonly values: readonly string[];
}

/** `name` quotes a name for this text. */
export function statementItems(
  view: DocumentContext,
  site: CursorContext,
  query: QueryContext,
  models: readonly DataModel[],
  range: Range,
  name: (plain: string) => string,
): CompletionItem[] {
  const { timestamps } = query.field.meta.beside ?? {};
  const isDated = isOptionSet(query, timestamps);
  return models.flatMap((model) =>
    createStatements(model, isDated, name).map(({ label, text, values }) => ({
      label,
      kind: CompletionItemKind.Snippet,
      detail: text,
      documentation: { kind: 'markdown' as const, value: tableMarkdown(view, model) },
      sortText: `2${label}`,
      filterText: label,
      insertTextFormat: InsertTextFormat.Snippet,
      textEdit: { range, newText: escapeSnippet(escapeJsonText(text)) },
      additionalTextEdits: query.list === null ? addParameters(view, site, query, values) : [],
    })),
  );
}

function createStatements(model: DataModel, isDated: boolean, name: (plain: string) => string): Statement[] {
  const { fields, table } = model;
  const key = fields.find(({ value }) => value['primary_key'] === true) ?? fields[0];
  if (key === undefined) return [];
  const names = fields.map((field) => field.name);
  const from = name(table);
  const given = fields
    .filter((field) => field.value['auto_increment'] !== true && !(isDated && TIMESTAMPS.includes(field.name)))
    .map((field) => field.name);
  const changed = given.filter((field) => field !== key.name && !TIMESTAMPS.includes(field));
  const formatWhere = (n: number): string => `WHERE ${name(key.name)} = $${n}`;
  const formatNameList = (all: readonly string[]): string => all.map(name).join(', ');
  const set = changed.map((field, i) => `${name(field)} = $${i + 1}`).join(', ');
  return [
    {
      label: `SELECT … FROM ${table}`,
      text: `SELECT ${formatNameList(names)} FROM ${from} ${formatWhere(1)}`,
      values: [key.name],
    },
    {
      label: `INSERT INTO ${table} (…)`,
      text: `INSERT INTO ${from} (${formatNameList(given)}) VALUES (${given.map((_, i) => `$${i + 1}`).join(', ')})`,
      values: given,
    },
    ...(changed.length === 0
      ? []
      : [
          {
            label: `UPDATE ${table} SET …`,
            text: `UPDATE ${from} SET ${set} ${formatWhere(changed.length + 1)}`,
            values: [...changed, key.name],
          },
        ]),
    { label: `DELETE FROM ${table}`, text: `DELETE FROM ${from} ${formatWhere(1)}`, values: [key.name] },
  ];
}
