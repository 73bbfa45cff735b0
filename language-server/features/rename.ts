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
import { createDocumentHandler, type ServerContext, type Feature } from '../server-context.js';
import { isSharedKind } from '../../language/analysis/shared-names.js';
import { findSymbolAt, type SymbolMatch } from '../navigation/symbol-locations.js';
import { getLastSegment, findRenameRejection, type RenameSupport } from '../navigation/rename-checks.js';
import { decodeJson } from '../navigation/respell-name.js';
import { planRename, type RenamePlan } from '../navigation/rename-plan.js';

/** A reason shown to the user, not a server error. */
interface RenameRejection {
  readonly refused: string;
}

const NOTHING: RenameRejection = { refused: 'There is no name here that can be renamed.' };

const unwrapResult = <T extends object>(answer: T | RenameRejection): T => {
  if ('refused' in answer) throw new ResponseError(LSPErrorCodes.RequestFailed, answer.refused);
  return answer;
};

const getRenameSupport = ({ workspace }: ClientCapabilities): RenameSupport => {
  const { documentChanges = false, resourceOperations, changeAnnotationSupport } = workspace?.workspaceEdit ?? {};
  return {
    moves: documentChanges && resourceOperations?.includes('rename') === true,
    confirms: documentChanges && changeAnnotationSupport !== undefined,
  };
};

/** Of a name with accessors, the text with those of this place. */
const getPlaceholder = ({ symbol, place }: SymbolMatch): string =>
  isSharedKind(symbol.sort) ? decodeJson(place.text) : getLastSegment(symbol);

export const rename: Feature = {
  capabilities: () => ({ renameProvider: { prepareProvider: true } }),
  attach(server) {
    const prepare = createDocumentHandler<PrepareRenameParams, PrepareRenameResult | RenameRejection>(
      server,
      NOTHING,
      (view, { position }) => {
        const found = findSymbolAt(view, position);
        if (found === null) return NOTHING;
        const refused = findRenameRejection(view.project, found, getRenameSupport(server.client));
        return refused === null ? { range: found.place.range, placeholder: getPlaceholder(found) } : { refused };
      },
    );
    const change = createDocumentHandler<RenameParams, WorkspaceEdit | RenameRejection>(
      server,
      NOTHING,
      (view, { position, newName }) => {
        const found = findSymbolAt(view, position);
        if (found === null) return NOTHING;
        const refused = findRenameRejection(view.project, found, getRenameSupport(server.client));
        const made = refused ?? planRename(view.project, found.symbol, newName);
        return typeof made === 'string' ? { refused: made } : toRenameEdit(server, made);
      },
    );
    server.connection.onPrepareRename(async (params, token) => unwrapResult(await prepare(params, token)));
    server.connection.onRenameRequest(async (params, token) => unwrapResult(await change(params, token)));
  },
};

/** Names the annotation in edits that the client makes after the user has confirmed them. */
const WARNING = 'warning';

export function toRenameEdit(server: ServerContext, { edits, moved, warning }: RenamePlan): WorkspaceEdit {
  const byUri = [...edits].map(([file, list]) => [server.toClientUri(file), [...list]] as [string, TextEdit[]]);
  if (server.client.workspace?.workspaceEdit?.documentChanges !== true) return { changes: Object.fromEntries(byUri) };
  const changes = byUri.map(([uri, list]): TextDocumentEdit => ({
    textDocument: { uri, version: null },
    edits: warning === null ? list : list.map((edit) => ({ ...edit, annotationId: WARNING })),
  }));
  if (warning !== null) {
    const annotation = { label: 'Issued tokens hold the old name', description: warning, needsConfirmation: true };
    return { documentChanges: changes, changeAnnotations: { [WARNING]: annotation } };
  }
  if (moved === null) return { documentChanges: changes };
  const move: RenameFile = {
    kind: 'rename',
    oldUri: server.toClientUri(moved.from),
    newUri: server.toClientUri(moved.to),
  };
  return { documentChanges: [...changes, move] };
}
