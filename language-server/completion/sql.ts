/**
 * Completes SQL. `language/sql-caret` decides what is valid at the cursor; names come from the models, values from the parameter
 * list.
 */
import type { CompletionItem, Range, TextEdit } from 'vscode-languageserver';
import { CompletionItemKind } from '../protocol.js';
import type { DataModel } from '../../language/analysis/model.js';
import { analyseCaret, type SqlCaret } from '../../language/strings/sql-caret.js';
import { quoteSqlName, quoteIfNeeded } from '../../language/strings/sql-quotes.js';
import type { SqlSource } from '../../language/strings/sql-sources.js';
import { SQL_CLAUSES, SQL_FUNCTIONS, SQL_VALUES, SQL_VERBS } from '../../language/strings/sql-words.js';
import { escapeJsonText, toFileSpan } from '../json-string.js';
import { listReservedWords } from '../queries/reserved.js';
import { statementAt, type QueryContext } from '../queries/query-context.js';
import { columnMarkdown, columnsIn, columnType, tableMarkdown, getTables, type Tables } from '../queries/tables.js';
import type { CursorContext, DocumentContext } from '../document-context.js';
import { placeholderItems } from './placeholders.js';
import { statementItems } from './sql-snippets.js';

interface SqlCompletionContext {
  readonly view: DocumentContext;
  readonly site: CursorContext;
  readonly query: QueryContext;
  readonly caret: SqlCaret;
  readonly tables: Tables;
  readonly range: Range;
  /** Quotes a name for this text. */
  readonly quoteName: (plain: string) => string;
}

export function sqlItems(view: DocumentContext, site: CursorContext): readonly CompletionItem[] {
  const query = statementAt(view, site);
  if (query === null || site.inside === null) return [];
  const { inside } = site;
  const caret = analyseCaret(inside.text, inside.offset);
  if (caret === null) return [];
  const { start, end } = toFileSpan(view, inside, caret.start, caret.end);
  const range = view.range(start, end);
  const typed = inside.text.slice(caret.start, caret.end);
  const reserved = listReservedWords(view, query);
  const quoteName = (plain: string): string =>
    typed.startsWith('"') ? quoteSqlName(plain) : quoteIfNeeded(plain, reserved);
  const context = { view, site, query, caret, tables: getTables(view), range, quoteName };
  if (typed.startsWith('$')) return createPlaceholderItems(context);
  switch (caret.at) {
    case 'start':
      return [
        ...statementItems(view, site, query, listStoreModels(context), range, quoteName),
        ...createKeywordItems(context, SQL_VERBS),
      ];
    case 'table':
      return [...tableItems(context), ...caret.common.map((source) => commonItem(context, source))];
    case 'target':
      return targetColumns(context);
    case 'row':
      return [
        ...createPlaceholderItems(context),
        ...createKeywordItems(context, SQL_VALUES),
        ...createFunctionItems(context),
      ];
    case 'word':
      return createKeywordItems(context, [...SQL_CLAUSES, ...SQL_VERBS]);
    case 'value':
      return caret.qualifier === null
        ? [
            ...columnItems(context),
            ...createPlaceholderItems(context),
            ...createKeywordItems(context, [...SQL_VALUES, ...SQL_CLAUSES]),
            ...createFunctionItems(context),
          ]
        : columnItems(context);
  }
}

/** Models that are stored where this statement runs. */
function listStoreModels({ query, tables }: SqlCompletionContext): DataModel[] {
  const { store } = query.field.meta;
  return tables.models.filter(({ stores }) => stores.length === 0 || stores.some(({ kind }) => kind === store));
}

const replaceRange = ({ range }: SqlCompletionContext, text: string): TextEdit => ({
  range,
  newText: escapeJsonText(text),
});

/** Starts with the quote typed in the file, which the editor matches against. */
function formatFilterText({ site, caret }: SqlCompletionContext, plain: string): string {
  const mark = site.inside?.text[caret.start] ?? '';
  return mark === '"' || mark === '`' ? escapeJsonText(mark + plain + mark) : plain;
}

function tableItems(context: SqlCompletionContext): CompletionItem[] {
  const near = listStoreModels(context);
  return context.tables.models.map((model) => ({
    label: model.table,
    kind: CompletionItemKind.Struct,
    detail: model.table === model.name ? 'model' : `model ${model.name}`,
    documentation: { kind: 'markdown', value: tableMarkdown(context.view, model) },
    sortText: `${near.includes(model) ? '0' : '1'}${model.table}`,
    filterText: formatFilterText(context, model.table),
    textEdit: replaceRange(context, context.quoteName(model.table)),
  }));
}

const commonItem = (context: SqlCompletionContext, { alias }: SqlSource): CompletionItem => ({
  label: alias,
  kind: CompletionItemKind.Reference,
  detail: 'of the WITH list',
  sortText: `0${alias}`,
  filterText: formatFilterText(context, alias),
  textEdit: replaceRange(context, context.quoteName(alias)),
});

/** Columns of the sources in scope, and the sources' names if there are several. */
function columnItems(context: SqlCompletionContext): CompletionItem[] {
  const { caret, tables } = context;
  const { qualifier } = caret;
  const sources =
    qualifier === null
      ? caret.sources
      : caret.sources.filter(({ alias }) => alias.toLowerCase() === qualifier).slice(0, 1);
  const items = new Map<string, CompletionItem>();
  for (const [rank, source] of sources.entries()) {
    if (source.alias === 'excluded' && qualifier === null) continue;
    for (const [i, column] of columnsIn(tables, source).entries()) {
      const known = items.get(column.name);
      const where = source.alias;
      if (known !== undefined) items.set(column.name, { ...known, detail: `${known.detail ?? ''} · also ${where}` });
      else items.set(column.name, columnItem(context, column, `${rank}${String(i).padStart(3, '0')}`, where));
    }
  }
  if (qualifier !== null) return [...items.values()];
  const aliases = caret.sources.map(({ alias, table }, i): CompletionItem => ({
    label: alias,
    kind: CompletionItemKind.Variable,
    detail: table === null ? 'sub-query' : `table ${table}`,
    sortText: `1${i}`,
    filterText: formatFilterText(context, alias),
    textEdit: replaceRange(context, context.quoteName(alias)),
  }));
  return [...items.values(), ...aliases.filter(({ label }) => !items.has(label))];
}

/** Columns that the list of written columns does not contain yet. */
function targetColumns(context: SqlCompletionContext): CompletionItem[] {
  const { target, listed } = context.caret;
  if (target === null) return [];
  return columnsIn(context.tables, { alias: target, table: target, outputs: null })
    .filter(({ name }) => !listed.includes(name))
    .map((column, i) => columnItem(context, column, String(i).padStart(3, '0'), target));
}

function columnItem(
  context: SqlCompletionContext,
  column: ReturnType<typeof columnsIn>[number],
  order: string,
  where: string,
): CompletionItem {
  const { name, field, model } = column;
  const written = context.quoteName(name);
  return {
    label: name,
    kind: CompletionItemKind.Field,
    detail: [columnType(context.view, column), where].filter((part) => part !== '').join(' · '),
    documentation: { kind: 'markdown', value: columnMarkdown(context.view, column) },
    // Timestamps that the model does not declare come after its fields.
    sortText: `${field === null && model !== null ? '0z' : '0a'}${order}`,
    filterText: formatFilterText(context, name),
    textEdit: replaceRange(context, written),
  };
}

function createPlaceholderItems({ view, site, query, caret, range }: SqlCompletionContext): CompletionItem[] {
  // Behind a comparison a value is most likely, and before all others the one of the column's name.
  const rank = caret.column !== null ? '00' : caret.at === 'row' ? '0' : '3';
  return placeholderItems(view, site, query, { range, column: caret.column, rank, text: (n) => `$${n}` });
}

const createKeywordItems = (context: SqlCompletionContext, list: readonly string[]): CompletionItem[] =>
  list.map((word) => ({
    label: word,
    kind: CompletionItemKind.Keyword,
    sortText: `5${word}`,
    filterText: formatFilterText(context, word),
    textEdit: replaceRange(context, word),
  }));

const createFunctionItems = (context: SqlCompletionContext): CompletionItem[] =>
  SQL_FUNCTIONS.map(({ name, form, doc }) => ({
    label: name,
    kind: CompletionItemKind.Function,
    detail: form,
    documentation: { kind: 'markdown', value: doc },
    sortText: `6${name}`,
    filterText: formatFilterText(context, name),
    textEdit: replaceRange(context, form.endsWith('()') ? form : `${name}(`),
  }));
