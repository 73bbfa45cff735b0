/** The id of the resource around the caret, or undefined: the outermost entry of the outline, which the server draws. */
import { commands, type DocumentSymbol, type TextEditor } from 'vscode';

export async function resourceAt({ document, selection }: TextEditor): Promise<string | undefined> {
  const symbols = await commands.executeCommand<DocumentSymbol[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    document.uri,
  );
  const all = symbols ?? [];
  return (all.find(({ range }) => range.contains(selection.active)) ?? (all.length === 1 ? all[0] : undefined))?.name;
}
