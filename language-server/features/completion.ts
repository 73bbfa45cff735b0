/**
 * Completion: what may be written at the caret. Asks each source that has a say at such a place; the sources stand in
 * `completion/`, one file each.
 */
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

/** Gives what a source knows for a place; nothing where it has no say. */
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

/** For a client that knows no snippets. */
function withoutStops(item: CompletionItem): CompletionItem {
  const { textEdit, insertTextFormat } = item;
  if (insertTextFormat !== InsertTextFormat.Snippet || textEdit === undefined) return item;
  return {
    ...item,
    insertTextFormat: InsertTextFormat.PlainText,
    textEdit: { ...textEdit, newText: plainText(textEdit.newText) },
  };
}

/** What may be written at an offset of the file. */
export function completionsAt(view: View, offset: number): CompletionItem[] {
  const site = view.typedSiteAt(offset);
  if (isInEscape(view, site, offset)) return [];
  return SOURCES.flatMap((source) => source(view, site));
}

/** Between a backslash and the rest of its escape, where text would change the character. */
const isInEscape = (view: View, { inside }: Site, offset: number): boolean =>
  inside !== null && spanInside(view, inside, inside.offset, inside.offset).start !== offset;
