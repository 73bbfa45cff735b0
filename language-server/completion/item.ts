/** Creates completion items for values, names, parts of strings and snippets. */
import type { CompletionItem } from 'vscode-languageserver';
import { CompletionItemKind, InsertTextFormat } from '../protocol.js';
import type { Site, View } from '../view.js';
import { commaBefore, commaBehind, replacing } from './edit.js';

export interface Offer {
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
export function valueItem(view: View, site: Site, json: string, rank: Rank, i: number, offer: Offer): CompletionItem {
  return {
    ...worded(offer, CompletionItemKind.Value),
    sortText: `${rank}${place(i)}`,
    filterText: json,
    insertTextFormat: InsertTextFormat.PlainText,
    textEdit: replacing(view, site, json + commaBehind(view, site)),
    additionalTextEdits: commaBefore(view, site),
  };
}

/** Filtered by its label, so that it is not offered inside quotes. */
export function snippetItem(view: View, site: Site, snippet: string, i: number, offer: Offer): CompletionItem {
  return {
    ...worded(offer, CompletionItemKind.Snippet),
    sortText: `${Rank.VARIANTS}${place(i)}`,
    filterText: offer.label,
    insertTextFormat: InsertTextFormat.Snippet,
    textEdit: replacing(view, site, snippet + commaBehind(view, site)),
    additionalTextEdits: commaBefore(view, site),
  };
}

export function textItem(
  view: View,
  { start, end }: { readonly start: number; readonly end: number },
  text: string,
  i: number,
  offer: Offer,
): CompletionItem {
  return {
    ...worded(offer, CompletionItemKind.Variable),
    sortText: `${Rank.ACCESSORS}${place(i)}`,
    filterText: text,
    insertTextFormat: InsertTextFormat.PlainText,
    textEdit: { range: view.range(start, end), newText: text },
  };
}

export const place = (i: number): string => String(i).padStart(4, '0');

const worded = ({ label, detail, doc, kind }: Offer, otherwise: CompletionItemKind): CompletionItem => ({
  label,
  kind: kind ?? otherwise,
  ...(detail !== undefined && detail !== '' && { detail }),
  ...(doc !== undefined && doc !== '' && { documentation: { kind: 'markdown', value: doc } }),
});
