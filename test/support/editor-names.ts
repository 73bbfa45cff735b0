/** Requests of navigation and renaming tests: ranges as their text, and the texts of all files after an edit. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  DefinitionRequest,
  PrepareRenameRequest,
  ReferencesRequest,
  RenameRequest,
  type Location,
  type Position,
  type TextEdit,
} from 'vscode-languageserver-protocol';
import { createDocument } from '../../language/source/document.js';
import type { Editor } from './editor-pair.js';
import { applyTextEdits } from './marked-source.js';

/** `file:line:column text`, one-based, sorted. */
export type LocationTexts = readonly string[];

const at = (editor: Editor, name: string, position: Position) => ({
  textDocument: { uri: editor.toUri(name) },
  position,
});

/** Opens a file with a marked text and returns the caret. */
export function openAtCaret(editor: Editor, name: string, source: string): Position {
  const { caret } = editor.open(name, source);
  if (caret === null) throw new Error('the text has no caret');
  return caret;
}

export async function formatLocations(
  editor: Editor,
  found: readonly Location[],
  texts: Texts = {},
): Promise<LocationTexts> {
  const rows = await Promise.all(
    found.map(async ({ uri, range: { start, end } }) => {
      const name = fileURLToPath(uri).slice(editor.folder.length + 1);
      const doc = createDocument(name, texts[name] ?? (await readFile(join(editor.folder, name), 'utf8')));
      const toOffset = ({ line, character }: Position): number => (doc.lineStarts[line] ?? 0) + character;
      return `${name}:${start.line + 1}:${start.character + 1} ${doc.text.slice(toOffset(start), toOffset(end))}`;
    }),
  );
  return rows.sort();
}

export type Texts = Readonly<Record<string, string>>;

export async function requestDefinitions(
  editor: Editor,
  name: string,
  position: Position,
  texts?: Texts,
): Promise<LocationTexts> {
  const found = await editor.client.sendRequest(DefinitionRequest.type, at(editor, name, position));
  return formatLocations(editor, (found ?? []) as Location[], texts);
}

export async function requestReferences(
  editor: Editor,
  name: string,
  position: Position,
  includeDeclaration = true,
): Promise<LocationTexts> {
  const params = { ...at(editor, name, position), context: { includeDeclaration } };
  return formatLocations(editor, (await editor.client.sendRequest(ReferencesRequest.type, params)) ?? []);
}

/** The text to be renamed and the offered name; the server's message if it rejects. */
export async function requestPrepareRename(editor: Editor, name: string, position: Position): Promise<unknown> {
  try {
    return await editor.client.sendRequest(PrepareRenameRequest.type, at(editor, name, position));
  } catch (error) {
    return (error as Error).message;
  }
}

/** Texts of the changed files by name, a moved file under its new name; the server's message if it rejects. */
export async function requestRename(
  editor: Editor,
  name: string,
  position: Position,
  newName: string,
): Promise<Readonly<Record<string, string>> | string> {
  try {
    const params = { ...at(editor, name, position), newName };
    const edit = await editor.client.sendRequest(RenameRequest.type, params);
    const result: Record<string, string> = {};
    const toRelativePath = (uri: string): string => fileURLToPath(uri).slice(editor.folder.length + 1);
    const apply = async (uri: string, edits: readonly TextEdit[]): Promise<void> => {
      const file = toRelativePath(uri);
      result[file] = applyTextEdits(result[file] ?? (await readFile(join(editor.folder, file), 'utf8')), edits);
    };
    for (const change of edit?.documentChanges ?? []) {
      if ('edits' in change) await apply(change.textDocument.uri, change.edits as TextEdit[]);
      else if (change.kind === 'rename') {
        const [from, to] = [toRelativePath(change.oldUri), toRelativePath(change.newUri)];
        result[to] = result[from] ?? (await readFile(join(editor.folder, from), 'utf8'));
        Reflect.deleteProperty(result, from);
      }
    }
    for (const [uri, edits] of Object.entries(edit?.changes ?? {})) await apply(uri, edits);
    return result;
  } catch (error) {
    return (error as Error).message;
  }
}
