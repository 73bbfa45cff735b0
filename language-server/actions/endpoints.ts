/** Refactoring: writes the resources of a model and their tests, as `lintel add crud` does. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkspaceEdit } from 'vscode-languageserver';
import { CodeActionKind } from '../protocol.js';
import { toFileUri } from '../uri.js';
import type { ActionSourceInput, CodeActionOffer } from './action-source.js';

const TITLE = 'Write endpoints for this model';

export async function endpointActions({ server, view, range }: ActionSourceInput): Promise<CodeActionOffer[]> {
  const known = server.client.workspace?.workspaceEdit;
  if (known?.documentChanges !== true || known.resourceOperations?.includes('create') !== true) return [];
  const definition = view.definitionAt(view.offsetAt(range.start));
  if (definition?.sort !== 'model') return [];
  const { analysis, registry, project } = view;
  const { listEndpointFiles } = await import('../endpoint-files.js');
  return listEndpointFiles(analysis, registry, project.config, definition.name).flatMap(
    ({ owner, paths, writeFiles }) => {
      const names = paths.map((path) => join(project.folder, path));
      if (names.some((name) => project.files.has(name) || existsSync(name))) return [];
      const createEdit = (): WorkspaceEdit =>
        createFiles([...writeFiles()].map(([path, text]) => [join(project.folder, path), text]));
      const title = owner === null ? TITLE : `${TITLE}; callers reach the rows with themselves as "${owner}"`;
      return [{ title, edit: createEdit, fixes: [], kind: CodeActionKind.RefactorRewrite }];
    },
  );
}

/** An editor rejects the whole edit if one of the files exists meanwhile. */
function createFiles(texts: readonly (readonly [string, string])[]): WorkspaceEdit {
  const start = { line: 0, character: 0 };
  return {
    documentChanges: texts.flatMap(([file, newText]) => {
      const uri = toFileUri(file);
      const edits = [{ range: { start, end: start }, newText }];
      return [
        { kind: 'create' as const, uri },
        { textDocument: { uri, version: null }, edits },
      ];
    }),
  };
}
