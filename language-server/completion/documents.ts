/**
 * Completes document queries. The specs' `members` define what is valid where; field names come from the model and the preceding
 * stages.
 */
import type { CompletionItem } from 'vscode-languageserver';
import { CompletionItemKind, InsertTextFormat } from '../protocol.js';
import { documentNamesAt, listDocumentPaths, type DocumentPath } from '../queries/document-scope.js';
import { pathDetail, pathMarkdown } from '../queries/describe-path.js';
import { namePlaceAt, valuePlaceAt } from '../queries/documents.js';
import { documentQueryAt, type DocumentQueryContext } from '../queries/query-context.js';
import { tableMarkdown, getTables } from '../queries/tables.js';
import { safeMarkdown } from '../safe-markdown.js';
import type { CursorContext, DocumentContext } from '../document-context.js';
import { commaBefore, commaAfter, hasColon, replaceToken, escapeSnippet } from './edit.js';
import { placeholderItems } from './placeholders.js';

export function documentItems(view: DocumentContext, site: CursorContext): readonly CompletionItem[] {
  const query = site.cursor.at === 'none' ? null : documentQueryAt(view, site);
  if (query === null) return [];
  if (site.cursor.at === 'key') return nameItems(view, site, query);
  const level = site.levels.at(-1);
  if (level?.field?.meta.language === 'collection') return collectionItems(view, site, query);
  const text = valuePlaceAt(site, query.depth)?.text;
  if (text === 'collection') return collectionItems(view, site, query);
  if (text === 'field') return pathItems(view, site, query, '');
  const paths = text === 'path' ? pathItems(view, site, query, '$') : [];
  const top = site.levels[query.depth + 1];
  const isList = top?.key === query.field.meta.binds;
  const isValue = (top?.field?.type === 'value' || top?.field?.meta.members !== undefined) && !isList;
  return isValue ? [...paths, ...createValueItems(view, site, query)] : paths;
}

function collectionItems(view: DocumentContext, site: CursorContext, query: DocumentQueryContext): CompletionItem[] {
  const { store } = query.field.meta;
  return getTables(view).models.map((model) => {
    const isHere = model.stores.some(({ kind }) => kind === store);
    return {
      ...textItem(view, site, model.table),
      kind: CompletionItemKind.Struct,
      documentation: { kind: 'markdown', value: tableMarkdown(view, model) },
      sortText: `${isHere ? '0' : '1'}${model.table}`,
    };
  });
}

/** Replaces a whole string, including its quotes. */
function textItem(view: DocumentContext, site: CursorContext, text: string): CompletionItem {
  const quoted = JSON.stringify(text);
  return { label: text, filterText: quoted, textEdit: replaceToken(view, site, quoted + commaAfter(view, site)) };
}

/** Fields of the documents at this point, and paths into them. */
function pathItems(
  view: DocumentContext,
  site: CursorContext,
  query: DocumentQueryContext,
  sign: '$' | '',
): CompletionItem[] {
  return listDocumentPaths(documentNamesAt(view, site, query)).map((one, i) => ({
    ...textItem(view, site, sign + one.path),
    ...describePath(view, one),
    sortText: `2${String(i).padStart(4, '0')}`,
  }));
}

const describePath = (view: DocumentContext, one: DocumentPath): Partial<CompletionItem> => ({
  kind: CompletionItemKind.Field,
  detail: pathDetail(view, one),
  documentation: { kind: 'markdown', value: pathMarkdown(view, one) },
});

function nameItems(view: DocumentContext, site: CursorContext, query: DocumentQueryContext): CompletionItem[] {
  const place = namePlaceAt(site, query.depth);
  if (place === null) return [];
  const written = new Set(site.levels.at(-1)?.node?.members.map(({ key }) => key));
  written.delete(site.cursor.token?.text ?? '');
  const createItem = (name: string, rank: string, more: Partial<CompletionItem>): CompletionItem => {
    const quoted = JSON.stringify(name);
    const rest = hasColon(view, site) ? '' : `: $1${commaAfter(view, site)}`;
    return {
      label: name,
      sortText: `${rank}${name}`,
      filterText: quoted,
      insertTextFormat: InsertTextFormat.Snippet,
      textEdit: replaceToken(view, site, escapeSnippet(quoted) + rest),
      additionalTextEdits: commaBefore(view, site),
      ...more,
    };
  };
  const paths = place.fields === undefined ? [] : listDocumentPaths(documentNamesAt(view, site, query));
  const operators = Object.entries(place.words ?? {});
  return [
    ...paths.map((one, i) =>
      createItem(one.path, `${isAdded(one) ? '1' : '0'}${String(i).padStart(3, '0')}`, describePath(view, one)),
    ),
    ...operators.map(([name, doc]) =>
      createItem(name, '2', {
        kind: CompletionItemKind.Operator,
        documentation: { kind: 'markdown', value: safeMarkdown(doc) },
      }),
    ),
  ].filter(({ label }) => !written.has(label));
}

/** True for a field that the model does not have. */
const isAdded = ({ meaning }: DocumentPath): boolean => 'column' in meaning && meaning.column.field === null;

/** Offers placeholders; proposes the surrounding field's name as the value's name. */
function createValueItems(view: DocumentContext, site: CursorContext, query: DocumentQueryContext): CompletionItem[] {
  const keys = site.levels.slice(query.depth + 2).map(({ key }) => key);
  const field = keys.findLast((key) => typeof key === 'string' && !key.startsWith('$')) ?? null;
  const { range } = replaceToken(view, site, '');
  const text = (n: number): string => JSON.stringify(`$${n}`) + commaAfter(view, site);
  const column = typeof field === 'string' ? field : null;
  return placeholderItems(view, site, query, { range, column, rank: '3', text, label: (n) => `$${n}` });
}
