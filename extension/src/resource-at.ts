/** Returns the id of the resource around the cursor: the outermost symbol of the server's outline, or undefined. */
import { commands, type DocumentSymbol, type TextEditor } from 'vscode';

export async function findResourceAt({ document, selection }: TextEditor): Promise<string | undefined> {
  const symbols = await commands.executeCommand<DocumentSymbol[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    document.uri,
  );
  const all = symbols ?? [];
  return (all.find(({ range }) => range.contains(selection.active)) ?? (all.length === 1 ? all[0] : undefined))?.name;
}
