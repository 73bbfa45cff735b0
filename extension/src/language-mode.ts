/**
 * Sets the language of JSON files that the config includes to `lintel`, except where the user picked another one, and only where an
 * editor shows the file. A document that nothing holds, such as one in a list of references, is opened for a change of its language and
 * then closed: if each opening were answered by a change, that would not end.
 */
import { Disposable, languages, window, workspace, type TextDocument } from 'vscode';
import type { Projects } from './projects.js';

const JSON_LANGUAGES = ['json', 'jsonc'];

export function assignLanguage(projects: Projects): Disposable {
  /** Documents closed in this event-loop turn, with their language: an immediate reopen is a change of language. */
  const closing = new Map<string, string>();
  const chosen = new Set<string>();
  const applyLanguage = (document: TextDocument): void => {
    if (!JSON_LANGUAGES.includes(document.languageId) || document.uri.scheme !== 'file') return;
    if (chosen.has(document.uri.toString()) || !projects.hasDefinition(document)) return;
    void languages.setTextDocumentLanguage(document, 'lintel');
  };
  const applyToVisible = (): void => window.visibleTextEditors.forEach(({ document }) => applyLanguage(document));
  applyToVisible();
  return Disposable.from(
    projects.onDidChange(applyToVisible),
    window.onDidChangeVisibleTextEditors(applyToVisible),
    workspace.onDidCloseTextDocument(({ uri, languageId }) => {
      const key = uri.toString();
      closing.set(key, languageId);
      queueMicrotask(() => {
        if (closing.delete(key)) chosen.delete(key);
      });
    }),
    workspace.onDidOpenTextDocument(({ uri, languageId }) => {
      const key = uri.toString();
      if (closing.get(key) === 'lintel' && languageId !== 'lintel') chosen.add(key);
      closing.delete(key);
    }),
  );
}
