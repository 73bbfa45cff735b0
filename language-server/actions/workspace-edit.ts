/** Converts text changes of a definition to a workspace edit. */
import type { WorkspaceEdit } from 'vscode-languageserver';
import { rangeAt, type Document, type TextChange } from '../../language/source/document.js';
import type { ActionSourceInput } from './action-source.js';

/** `doc`: the document that the offsets refer to. */
export const toWorkspaceEdit = (
  { server, view }: ActionSourceInput,
  doc: Document,
  changes: readonly TextChange[],
): WorkspaceEdit => ({
  changes: {
    [server.toClientUri(view.name)]: changes.map(({ start, end, text }) => ({
      range: rangeAt(doc, start, end),
      newText: text,
    })),
  },
});
