/** Formats a file or a range. Changes only white space, and nothing in invalid text. */
import type { FormattingOptions, TextEdit } from 'vscode-languageserver';
import { formatDocument } from '../../language/source/format.js';
import { createDocumentHandler, type Feature } from '../server-context.js';
import type { DocumentContext } from '../document-context.js';

export const formatting: Feature = {
  capabilities: () => ({ documentFormattingProvider: true, documentRangeFormattingProvider: true }),
  attach(server) {
    server.connection.onDocumentFormatting(
      createDocumentHandler(server, [], (view, { options }) => createEdits(view, options)),
    );
    server.connection.onDocumentRangeFormatting(
      createDocumentHandler(server, [], (view, { options, range }) => {
        const [a, b] = [view.offsetAt(range.start), view.offsetAt(range.end)];
        return createEdits(view, options, { start: Math.min(a, b), end: Math.max(a, b) });
      }),
    );
  },
};

function createEdits(
  view: DocumentContext,
  options: FormattingOptions,
  span?: { start: number; end: number },
): TextEdit[] {
  const { tabSize, insertSpaces, insertFinalNewline, trimFinalNewlines } = options;
  const layout = {
    size: Number.isInteger(tabSize) && tabSize > 0 && tabSize <= 16 ? tabSize : 2,
    spaces: insertSpaces !== false,
    finalBreak:
      insertFinalNewline === true ? true : trimFinalNewlines === true ? /\n\s*$/.test(view.doc.text) : undefined,
  };
  return formatDocument(view.doc, view.tree, layout, span).map(({ start, end, text }) => ({
    range: view.range(start, end),
    newText: text,
  }));
}
