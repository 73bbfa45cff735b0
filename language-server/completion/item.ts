/** Creates completion items for values, names, parts of strings and snippets. */
import type { CompletionItem } from 'vscode-languageserver';
import { CompletionItemKind, InsertTextFormat } from '../protocol.js';
import type { CursorContext, DocumentContext } from '../document-context.js';
import { commaBefore, commaAfter, replaceToken } from './edit.js';

export interface ItemDescription {
  readonly label: string;
  readonly detail?: string | undefined;
  /** Markdown. */
  readonly doc?: string | undefined;
  readonly kind?: CompletionItemKind;
}

/** Sort groups, the most likely first. */
export const Rank = { NAMES: '1', OWN: '2', ACCESSORS: '3', VARIANTS: '4', EXAMPLES: '5' } as const;
export type Rank = (typeof Rank)[keyof typeof Rank];

/** `json`: text of a whole value, which replaces the token at the cursor. */
export function valueItem(
  view: DocumentContext,
  site: CursorContext,
  json: string,
  rank: Rank,
  i: number,
  offer: ItemDescription,
): CompletionItem {
  return {
    ...describeItem(offer, CompletionItemKind.Value),
    sortText: `${rank}${formatSortKey(i)}`,
    filterText: json,
    insertTextFormat: InsertTextFormat.PlainText,
    textEdit: replaceToken(view, site, json + commaAfter(view, site)),
    additionalTextEdits: commaBefore(view, site),
  };
}

/** Filtered by its label, so that it is not offered inside quotes. */
export function snippetItem(
  view: DocumentContext,
  site: CursorContext,
  snippet: string,
  i: number,
  offer: ItemDescription,
): CompletionItem {
  return {
    ...describeItem(offer, CompletionItemKind.Snippet),
    sortText: `${Rank.VARIANTS}${formatSortKey(i)}`,
    filterText: offer.label,
    insertTextFormat: InsertTextFormat.Snippet,
    textEdit: replaceToken(view, site, snippet + commaAfter(view, site)),
    additionalTextEdits: commaBefore(view, site),
  };
}

export function textItem(
  view: DocumentContext,
  { start, end }: { readonly start: number; readonly end: number },
  text: string,
  i: number,
  offer: ItemDescription,
): CompletionItem {
  return {
    ...describeItem(offer, CompletionItemKind.Variable),
    sortText: `${Rank.ACCESSORS}${formatSortKey(i)}`,
    filterText: text,
    insertTextFormat: InsertTextFormat.PlainText,
    textEdit: { range: view.range(start, end), newText: text },
  };
}

export const formatSortKey = (i: number): string => String(i).padStart(4, '0');

const describeItem = (
  { label, detail, doc, kind }: ItemDescription,
  otherwise: CompletionItemKind,
): CompletionItem => ({
  label,
  kind: kind ?? otherwise,
  ...(detail !== undefined && detail !== '' && { detail }),
  ...(doc !== undefined && doc !== '' && { documentation: { kind: 'markdown', value: doc } }),
});
