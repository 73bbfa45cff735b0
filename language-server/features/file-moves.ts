/** Before files are renamed or moved, changes what names them. What cannot follow is shown to the user. */
import type { RenameFilesParams, TextEdit, WorkspaceEdit } from 'vscode-languageserver';
import { sep } from 'node:path';
import { MessageType, ShowMessageNotification } from '../protocol.js';
import { planMoves, type FileMove } from '../navigation/file-moves.js';
import { createRequestHandler, type Feature, type ServerContext } from '../server-context.js';
import { toFilePath } from '../uri.js';
import { toRenameEdit } from './rename.js';

/** The server declares the capability with the other file operations (`server.ts`). */
export const fileMoves: Feature = {
  capabilities: () => ({}),
  attach: (server) =>
    server.connection.workspace.onWillRenameFiles(
      createRequestHandler(server, null, (params: RenameFilesParams) => createMoveEdit(server, params)),
    ),
};

async function createMoveEdit(server: ServerContext, { files }: RenameFilesParams): Promise<WorkspaceEdit | null> {
  const moves = files.flatMap(({ oldUri, newUri }): FileMove[] => {
    const [from, to] = [toFilePath(oldUri), toFilePath(newUri)];
    return from === null || to === null ? [] : [{ from, to }];
  });
  const edits = new Map<string, readonly TextEdit[]>();
  for (const project of await server.listProjects()) {
    if (!moves.some(({ from }) => from.startsWith(project.folder + sep))) continue;
    await project.waitForParser();
    const made = planMoves(project, moves);
    for (const [file, list] of made.edits) edits.set(file, list);
    for (const message of made.refused)
      void server.connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Warning, message });
  }
  return edits.size === 0 ? null : toRenameEdit(server, { edits, moved: null, warning: null });
}
