/**
 * Completes document queries. The specs' `members` define what is valid where; field names come from the model and the preceding
 * stages.
 */
import type { CompletionItem } from 'vscode-languageserver';
import { CompletionItemKind, InsertTextFormat } from '../protocol.js';
import { documentNamesAt, pathsOf, type DocumentPath } from '../queries/document-scope.js';
import { pathDetail, pathMarkdown } from '../queries/document-words.js';
import { namePlaceAt, valuePlaceAt } from '../queries/documents.js';
import { documentQueryAt, type DocumentSite } from '../queries/query-site.js';
import { tableMarkdown, tablesOf } from '../queries/tables.js';
import { safeMarkdown } from '../safe-markdown.js';
import type { Site, View } from '../view.js';
import { commaBefore, commaBehind, hasColon, replacing, snippetText } from './edit.js';
import { placeholderItems } from './placeholders.js';

export function documentItems(view: View, site: Site): readonly CompletionItem[] {
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
  return isValue ? [...paths, ...values(view, site, query)] : paths;
}

function collectionItems(view: View, site: Site, query: DocumentSite): CompletionItem[] {
  const { store } = query.field.meta;
  return tablesOf(view).models.map((model) => {
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
function textItem(view: View, site: Site, text: string): CompletionItem {
  const quoted = JSON.stringify(text);
  return { label: text, filterText: quoted, textEdit: replacing(view, site, quoted + commaBehind(view, site)) };
}

/** Fields of the documents at this point, and paths into them. */
function pathItems(view: View, site: Site, query: DocumentSite, sign: '$' | ''): CompletionItem[] {
  return pathsOf(documentNamesAt(view, site, query)).map((one, i) => ({
    ...textItem(view, site, sign + one.path),
    ...described(view, one),
    sortText: `2${String(i).padStart(4, '0')}`,
  }));
}

const described = (view: View, one: DocumentPath): Partial<CompletionItem> => ({
  kind: CompletionItemKind.Field,
  detail: pathDetail(view, one),
  documentation: { kind: 'markdown', value: pathMarkdown(view, one) },
});

function nameItems(view: View, site: Site, query: DocumentSite): CompletionItem[] {
  const place = namePlaceAt(site, query.depth);
  if (place === null) return [];
  const written = new Set(site.levels.at(-1)?.node?.members.map(({ key }) => key));
  written.delete(site.cursor.token?.text ?? '');
  const item = (name: string, rank: string, more: Partial<CompletionItem>): CompletionItem => {
    const quoted = JSON.stringify(name);
    const rest = hasColon(view, site) ? '' : `: $1${commaBehind(view, site)}`;
    return {
      label: name,
      sortText: `${rank}${name}`,
      filterText: quoted,
      insertTextFormat: InsertTextFormat.Snippet,
      textEdit: replacing(view, site, snippetText(quoted) + rest),
      additionalTextEdits: commaBefore(view, site),
      ...more,
    };
  };
  const paths = place.fields === undefined ? [] : pathsOf(documentNamesAt(view, site, query));
  const operators = Object.entries(place.words ?? {});
  return [
    ...paths.map((one, i) =>
      item(one.path, `${isAdded(one) ? '1' : '0'}${String(i).padStart(3, '0')}`, described(view, one)),
    ),
    ...operators.map(([name, doc]) =>
      item(name, '2', {
        kind: CompletionItemKind.Operator,
        documentation: { kind: 'markdown', value: safeMarkdown(doc) },
      }),
    ),
  ].filter(({ label }) => !written.has(label));
}

/** True for a field that the model does not have. */
const isAdded = ({ meaning }: DocumentPath): boolean => 'column' in meaning && meaning.column.field === null;

/** Offers placeholders; proposes the surrounding field's name as the value's name. */
function values(view: View, site: Site, query: DocumentSite): CompletionItem[] {
  const keys = site.levels.slice(query.depth + 2).map(({ key }) => key);
  const field = keys.findLast((key) => typeof key === 'string' && !key.startsWith('$')) ?? null;
  const { range } = replacing(view, site, '');
  const text = (n: number): string => JSON.stringify(`$${n}`) + commaBehind(view, site);
  const column = typeof field === 'string' ? field : null;
  return placeholderItems(view, site, query, { range, column, rank: '3', text, label: (n) => `$${n}` });
}
