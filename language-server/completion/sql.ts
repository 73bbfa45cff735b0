/**
 * Completes SQL. `plugins/queries/sql/editing/caret` decides what is valid at the cursor; names come from the models, values from the parameter
 * list.
 */
import type { CompletionItem, Range, TextEdit } from 'vscode-languageserver';
import { CompletionItemKind } from '../protocol.js';
import { asText } from '../../contract/json.js';
import type { DataModel } from '../../language/analysis/model.js';
import { isNeeded } from '../../language/analysis/catalogue.js';
import { analyseCaret, type SqlCaret } from '../../plugins/queries/sql/editing/caret.js';
import { quoteSqlName, quoteIfNeeded } from '../../plugins/queries/sql/text/quotes.js';
import type { SqlSource } from '../../plugins/queries/sql/text/sources.js';
import { listCastTypes, listSignatures } from '../../plugins/queries/sql/editing/signatures.js';
import { SQL_VERBS } from '../../plugins/queries/sql/text/words.js';
import { escapeJsonText, toFileSpan } from '../json-string.js';
import { findConnection, findSyntax, listReservedWords } from '../queries/reserved.js';
import { statementAt, type QueryContext } from '../queries/query-context.js';
import { columnMarkdown, columnsIn, columnType, tableMarkdown, getTables, type Tables } from '../queries/tables.js';
import type { CursorContext, DocumentContext } from '../document-context.js';
import { placeholderItems } from './placeholders.js';
import { createAlias, listJoinConditions, listJoins, toJoinItem } from './sql-joins.js';
import { listLikelyModels } from './sql-likely.js';
import { statementItems } from './sql-snippets.js';

interface SqlCompletionContext {
  readonly view: DocumentContext;
  readonly site: CursorContext;
  readonly query: QueryContext;
  readonly caret: SqlCaret;
  readonly tables: Tables;
  readonly range: Range;
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
  const reserved = listReservedWords(view, query, caret.sources);
  const quoteName = (plain: string): string =>
    typed.startsWith('"') ? quoteSqlName(plain) : quoteIfNeeded(plain, reserved);
  const context = { view, site, query, caret, tables: listTables(view, query, caret), range, quoteName };
  if (typed.startsWith('$')) return createPlaceholderItems(context);
  switch (caret.at) {
    case 'start':
      return [
        ...statementItems(view, site, query, listStoreModels(context), range, quoteName),
        ...createKeywordItems(context, SQL_VERBS),
      ];
    case 'table':
      return [
        ...createJoinItems(context),
        ...tableItems(context),
        ...caret.common.map((source) => commonItem(context, source)),
      ];
    case 'target':
    case 'key':
      return targetColumns(context);
    case 'row':
      return [
        ...createPlaceholderItems(context),
        ...createKeywordItems(context, caret.keywords),
        ...createFunctionItems(context),
      ];
    case 'word':
      return [...createKeywordItems(context, listKnownWords(context)), ...createAliasItems(context)];
    case 'type':
      return createTypeItems(context);
    case 'value':
      return caret.qualifier === null
        ? [
            ...createJoinItems(context),
            ...createOutputItems(context),
            ...columnItems(context),
            ...createPlaceholderItems(context),
            ...createKeywordItems(context, caret.keywords),
            ...createFunctionItems(context),
          ]
        : columnItems(context);
  }
}

function listTables(view: DocumentContext, query: QueryContext, { sources }: SqlCaret): Tables {
  const tables = getTables(view);
  const chosen = findConnection(view, query, sources);
  const isNear = ({ definition: { connection } }: DataModel): boolean =>
    chosen === null || connection === null || asText(connection.scalar) === chosen;
  return { ...tables, models: tables.models.filter(isNear) };
}

/** Other databases than PostgreSQL cannot say where rows without a value are sorted. */
function listKnownWords({ view, query, caret }: SqlCompletionContext): readonly string[] {
  const syntax = findSyntax(view, query, caret.sources);
  const isKnown = syntax === null || syntax === 'postgresql';
  return isKnown ? caret.keywords : caret.keywords.filter((word) => !word.startsWith('NULLS'));
}

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

/** Joins along foreign keys, with their condition; behind ON, the condition. */
function createJoinItems(context: SqlCompletionContext): CompletionItem[] {
  const { caret, tables, quoteName } = context;
  if (caret.join === null) return [];
  const offers = (caret.join === 'table' ? listJoins : listJoinConditions)(tables, caret.sources, quoteName);
  return offers.map((offer, i) => toJoinItem(offer, i, (text) => replaceRange(context, text)));
}

/** Columns of the sources in scope, and the sources' names. Before FROM is written, those of the likely tables. */
function columnItems(context: SqlCompletionContext): CompletionItem[] {
  const { view, query, caret, tables } = context;
  const { qualifier } = caret;
  const isUnread = qualifier === null && caret.sources.length === 0;
  const sources = isUnread
    ? listLikelyModels(view, query, tables, listStoreModels(context), caret.selected).map(toSource)
    : qualifier === null
      ? caret.sources.filter(({ alias }) => alias !== 'excluded')
      : caret.sources.filter(({ alias }) => alias.toLowerCase() === qualifier).slice(0, 1);
  const lists = sources.map((source) => ({ source, columns: columnsIn(tables, source) }));
  const counts = new Map<string, number>();
  for (const { name } of lists.flatMap(({ columns }) => columns)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const items = new Map<string, CompletionItem>();
  for (const [rank, { source, columns }] of lists.entries()) {
    for (const [i, column] of columns.entries()) {
      // A name of several sources is ambiguous without its source.
      const isShared = !isUnread && qualifier === null && (counts.get(column.name) ?? 0) > 1;
      const from = isShared && caret.sources.includes(source) ? source.alias : null;
      const order = `${caret.selected.includes(column.name) ? '1' : '0'}${rank}${String(i).padStart(3, '0')}`;
      const item = columnItem(context, column, { order, where: source.alias, from });
      const known = items.get(item.label);
      if (known === undefined) items.set(item.label, item);
      else if (isUnread) items.set(item.label, { ...known, detail: `${known.detail ?? ''} · also ${source.alias}` });
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

const toSource = ({ table }: DataModel): SqlSource => ({ alias: table, table, outputs: null });

/** Names that the list of results gives, where rows are sorted or grouped. */
const createOutputItems = (context: SqlCompletionContext): CompletionItem[] =>
  [...new Set(context.caret.outputs)].map((name, i) => ({
    label: name,
    kind: CompletionItemKind.Variable,
    detail: 'of the list of results',
    sortText: `00${String(i).padStart(3, '0')}`,
    filterText: formatFilterText(context, name),
    textEdit: replaceRange(context, context.quoteName(name)),
  }));

/** A short name for the table before the caret. */
function createAliasItems(context: SqlCompletionContext): CompletionItem[] {
  const { named, sources } = context.caret;
  if (named === null) return [];
  const alias = createAlias(named, new Set(sources.map((source) => source.alias.toLowerCase())));
  return [
    {
      label: alias,
      kind: CompletionItemKind.Variable,
      detail: `a short name of ${named}`,
      sortText: `6${alias}`,
      filterText: formatFilterText(context, alias),
      textEdit: replaceRange(context, alias),
    },
  ];
}

const createTypeItems = (context: SqlCompletionContext): CompletionItem[] =>
  listCastTypes(findSyntax(context.view, context.query, context.caret.sources)).map((type, i) => ({
    label: type,
    kind: CompletionItemKind.TypeParameter,
    sortText: String(i).padStart(3, '0'),
    filterText: type,
    textEdit: replaceRange(context, type),
  }));

/** Columns that the list of written columns does not contain yet, those that need a value first. */
function targetColumns(context: SqlCompletionContext): CompletionItem[] {
  const { target, listed, at } = context.caret;
  if (target === null) return [];
  const keys = at === 'key' ? listKeyColumns(context, target) : [];
  return columnsIn(context.tables, { alias: target, table: target, outputs: null })
    .filter(({ name }) => !listed.includes(name) && (keys.length === 0 || keys.includes(name)))
    .map((column, i) => {
      const order = `${isNeeded(column.field) ? '0' : '1'}${String(i).padStart(3, '0')}`;
      return columnItem(context, column, { order, where: target, from: null });
    });
}

function listKeyColumns({ tables, caret: { listed } }: SqlCompletionContext, table: string): readonly string[] {
  const model = tables.findModel(table);
  const own = model?.fields.flatMap(({ name, value }) => (value['primary_key'] === true ? [name] : [])) ?? [];
  return [own, ...(model?.uniques ?? [])].filter((names) => listed.every((name) => names.includes(name))).flat();
}

interface ColumnPlace {
  readonly order: string;
  /** The source, as it is called. */
  readonly where: string;
  /** The source to write before the name; null: the name is enough. */
  readonly from: string | null;
}

function columnItem(
  context: SqlCompletionContext,
  column: ReturnType<typeof columnsIn>[number],
  { order, where, from }: ColumnPlace,
): CompletionItem {
  const { name, field, model } = column;
  const lead = from === null ? '' : `${context.quoteName(from)}.`;
  return {
    label: from === null ? name : `${from}.${name}`,
    kind: CompletionItemKind.Field,
    detail: [columnType(context.view, column), where].filter((part) => part !== '').join(' · '),
    documentation: { kind: 'markdown', value: columnMarkdown(context.view, column) },
    // Timestamps that the model does not declare come after its fields.
    sortText: `${field === null && model !== null ? '0z' : '0a'}${order}`,
    filterText: formatFilterText(context, name),
    textEdit: replaceRange(context, lead + context.quoteName(name)),
  };
}

function createPlaceholderItems({ view, site, query, caret, range }: SqlCompletionContext): CompletionItem[] {
  // Behind a comparison a value is most likely, and before all others the one of the column's name.
  const rank = caret.column !== null ? '00' : caret.at === 'row' ? '0' : '3';
  return placeholderItems(view, site, query, { range, column: caret.column, rank, text: (n) => `$${n}` });
}

const createKeywordItems = (context: SqlCompletionContext, list: readonly string[]): CompletionItem[] =>
  list.map((word, i) => ({
    label: word,
    kind: CompletionItemKind.Keyword,
    sortText: `5${String(i).padStart(3, '0')}`,
    filterText: formatFilterText(context, word),
    textEdit: replaceRange(context, word),
  }));

const createFunctionItems = (context: SqlCompletionContext): CompletionItem[] =>
  listSignatures(findSyntax(context.view, context.query, context.caret.sources)).map(
    ({ name, form, result, doc, parameters }) => ({
      label: name,
      kind: CompletionItemKind.Function,
      detail: `${form}: ${result}`,
      documentation: { kind: 'markdown', value: doc },
      sortText: `6${name}`,
      filterText: formatFilterText(context, name),
      textEdit: replaceRange(context, parameters.length === 0 ? `${name}()` : `${name}(`),
    }),
  );
