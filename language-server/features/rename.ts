/** Renames the name at the cursor in all files, or rejects the request with a reason. */
import type {
  ClientCapabilities,
  PrepareRenameParams,
  PrepareRenameResult,
  RenameFile,
  RenameParams,
  TextDocumentEdit,
  TextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver';
import { LSPErrorCodes, ResponseError } from '../protocol.js';
import { answering, type Desk, type Feature } from '../desk.js';
import { nameAt } from '../navigation/places.js';
import { lastOf, refusal } from '../navigation/refusals.js';
import { renaming, type Renaming } from '../navigation/renaming.js';

/** A reason shown to the user, not a server error. */
interface Refused {
  readonly refused: string;
}

const NOTHING: Refused = { refused: 'There is no name here that stands anywhere else.' };

const told = <T extends object>(answer: T | Refused): T => {
  if ('refused' in answer) throw new ResponseError(LSPErrorCodes.RequestFailed, answer.refused);
  return answer;
};

const movesFiles = ({ workspace }: ClientCapabilities): boolean =>
  workspace?.workspaceEdit?.documentChanges === true &&
  workspace.workspaceEdit.resourceOperations?.includes('rename') === true;

export const rename: Feature = {
  capabilities: () => ({ renameProvider: { prepareProvider: true } }),
  attach(desk) {
    const prepare = answering<PrepareRenameParams, PrepareRenameResult | Refused>(
      desk,
      NOTHING,
      (view, { position }) => {
        const found = nameAt(view, position);
        if (found === null) return NOTHING;
        const refused = refusal(view.project, found, movesFiles(desk.client));
        return refused === null ? { range: found.place.range, placeholder: lastOf(found.symbol.name) } : { refused };
      },
    );
    const change = answering<RenameParams, WorkspaceEdit | Refused>(desk, NOTHING, (view, { position, newName }) => {
      const found = nameAt(view, position);
      if (found === null) return NOTHING;
      const refused = refusal(view.project, found, movesFiles(desk.client));
      const made = refused ?? renaming(view.project, found.symbol, newName);
      return typeof made === 'string' ? { refused: made } : editOf(desk, made);
    });
    desk.connection.onPrepareRename(async (params, token) => told(await prepare(params, token)));
    desk.connection.onRenameRequest(async (params, token) => told(await change(params, token)));
  },
};

function editOf(desk: Desk, { edits, moved }: Renaming): WorkspaceEdit {
  const byUri = [...edits].map(([file, list]) => [desk.uriOf(file), [...list]] as [string, TextEdit[]]);
  if (desk.client.workspace?.workspaceEdit?.documentChanges !== true) return { changes: Object.fromEntries(byUri) };
  const changes = byUri.map(([uri, list]): TextDocumentEdit => ({ textDocument: { uri, version: null }, edits: list }));
  if (moved === null) return { documentChanges: changes };
  const move: RenameFile = { kind: 'rename', oldUri: desk.uriOf(moved.from), newUri: desk.uriOf(moved.to) };
  return { documentChanges: [...changes, move] };
}
