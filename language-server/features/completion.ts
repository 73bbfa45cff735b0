/** Completion: merges the items of all sources in `completion/`. */
import type { CompletionItem, CompletionList } from 'vscode-languageserver';
import { InsertTextFormat } from '../protocol.js';
import { answering, type Desk, type Feature } from '../desk.js';
import { accessorItems } from '../completion/accessors.js';
import { plainText } from '../completion/edit.js';
import { documentItems } from '../completion/documents.js';
import { keyItems } from '../completion/keys.js';
import { sqlItems } from '../completion/sql.js';
import { valueItems } from '../completion/values.js';
import { spanInside } from '../inside.js';
import type { Site, View } from '../view.js';

/** Returns the items for a place; an empty list where the source does not apply. */
export type CompletionSource = (view: View, site: Site) => readonly CompletionItem[];

const SOURCES: readonly CompletionSource[] = [keyItems, valueItems, accessorItems, sqlItems, documentItems];

const NOTHING: CompletionList = { isIncomplete: false, items: [] };

export const completion: Feature = {
  capabilities: () => ({ completionProvider: { triggerCharacters: ['"', ':', '$', '.', ' ', '_'] } }),
  attach: (desk) =>
    desk.connection.onCompletion(
      answering(desk, NOTHING, (view, { position }) => ({
        isIncomplete: false,
        items: completionsAt(view, view.offsetAt(position)).map(takesSnippets(desk) ? asItIs : withoutStops),
      })),
    ),
};

const takesSnippets = ({ client }: Desk): boolean =>
  client.textDocument?.completion?.completionItem?.snippetSupport === true;

const asItIs = (item: CompletionItem): CompletionItem => item;

/** For clients without snippet support. */
function withoutStops(item: CompletionItem): CompletionItem {
  const { textEdit, insertTextFormat } = item;
  if (insertTextFormat !== InsertTextFormat.Snippet || textEdit === undefined) return item;
  return {
    ...item,
    insertTextFormat: InsertTextFormat.PlainText,
    textEdit: { ...textEdit, newText: plainText(textEdit.newText) },
  };
}

/** All completions at an offset of the file. */
export function completionsAt(view: View, offset: number): CompletionItem[] {
  const site = view.typedSiteAt(offset);
  if (isInEscape(view, site, offset)) return [];
  return SOURCES.flatMap((source) => source(view, site));
}

/** True inside an escape sequence, where inserted text would change the character. */
const isInEscape = (view: View, { inside }: Site, offset: number): boolean =>
  inside !== null && spanInside(view, inside, inside.offset, inside.offset).start !== offset;
