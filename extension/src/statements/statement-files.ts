/** The files of the scheme `lintel-sql`: each is one statement of a definition. Saving one changes the definition and saves it. */
import {
  EventEmitter,
  FileSystemError,
  FileType,
  Range,
  Uri,
  ViewColumn,
  WorkspaceEdit,
  window,
  workspace,
} from 'vscode';
import type { Disposable, FileChangeEvent, FileStat, FileSystemProvider } from 'vscode';
import type { TextEdit } from 'vscode-languageclient/node';
import type { Session } from '../client.js';
import {
  readAddress,
  STATEMENT_SCHEME,
  type StatementAddress,
  type StatementContent,
  type StatementParams,
  type StatementResult,
  type WriteStatementResult,
} from './statement-protocol.js';

interface OpenStatement {
  /** What the definition had when it was read or written last. */
  readonly content: StatementContent;
  readonly bytes: Uint8Array;
  readonly time: number;
}

export const serveStatements = (session: Session): Disposable =>
  workspace.registerFileSystemProvider(STATEMENT_SCHEME, createStatementFiles(session), { isCaseSensitive: true });

function createStatementFiles(session: Session): FileSystemProvider {
  const changed = new EventEmitter<FileChangeEvent[]>();
  const open = new Map<string, OpenStatement>();

  async function read(uri: Uri): Promise<OpenStatement> {
    const found = await sendRequest<StatementResult | null>('lintel/statement', findAddress(uri));
    if (found === null) throw FileSystemError.FileNotFound('The definition has no statement here any more.');
    const bytes = new TextEncoder().encode(found.text);
    const one = { content: found.content, bytes, time: Date.now() };
    open.set(uri.toString(), one);
    return one;
  }

  function sendRequest<R>(method: string, params: object): Promise<R> {
    const client = session.client();
    if (client === null) throw FileSystemError.Unavailable('The language server does not run.');
    return client.sendRequest<R>(method, params);
  }

  return {
    onDidChangeFile: changed.event,
    watch: () => ({ dispose: () => undefined }),
    stat: async (uri): Promise<FileStat> => {
      const { bytes, time } = open.get(uri.toString()) ?? (await read(uri));
      return { type: FileType.File, ctime: 0, mtime: time, size: bytes.length };
    },
    readFile: async (uri) => (await read(uri)).bytes,
    async writeFile(uri, bytes) {
      const address = findAddress(uri);
      const before = open.get(uri.toString()) ?? (await read(uri));
      const text = new TextDecoder().decode(bytes);
      const result = await sendRequest<WriteStatementResult>('lintel/writeStatement', {
        ...address,
        before: before.content,
        text,
      });
      const { edits, content, message } = result;
      if (content === null) throw new FileSystemError(message ?? 'The statement cannot be written.');
      await applyEdits(Uri.parse(address.uri), edits);
      open.set(uri.toString(), { content, bytes, time: Date.now() });
    },
    readDirectory: () => [],
    createDirectory: refuseChange,
    delete: refuseChange,
    rename: refuseChange,
  };
}

function findAddress(uri: Uri): StatementAddress {
  const address = readAddress(uri);
  if (address === null) throw FileSystemError.FileNotFound(uri);
  return address;
}

async function applyEdits(file: Uri, edits: readonly TextEdit[]): Promise<void> {
  if (edits.length === 0) return;
  const change = new WorkspaceEdit();
  for (const { range, newText } of edits) {
    const { start, end } = range;
    change.replace(file, new Range(start.line, start.character, end.line, end.character), newText);
  }
  if (!(await workspace.applyEdit(change))) throw new FileSystemError('The definition could not be changed.');
  const document = await workspace.openTextDocument(file);
  if (!(await document.save())) throw new FileSystemError('The definition was changed, and could not be saved.');
}

function refuseChange(): never {
  throw FileSystemError.NoPermissions('A statement is part of a definition: change it there.');
}

/** Opens the statement at the caret. */
export async function editStatement(session: Session): Promise<void> {
  const editor = window.activeTextEditor;
  const client = session.client();
  if (editor === undefined || client === null) return;
  const { line, character } = editor.selection.active;
  const params: StatementParams = { uri: editor.document.uri.toString(), position: { line, character } };
  const found = await client.sendRequest<StatementResult | null>('lintel/statement', params);
  if (found === null) {
    void window.showInformationMessage('The caret is in no SQL statement. Place it inside the text of a query.');
    return;
  }
  const document = await workspace.openTextDocument(Uri.parse(found.statementUri));
  await window.showTextDocument(document, ViewColumn.Beside);
}
