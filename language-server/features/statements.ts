/**
 * Custom requests for statements in editors of their own: the text of one, and the edits that write it back. The editor applies them;
 * the server writes no file.
 */
import { pathToFileURL } from 'node:url';
import type { Position, TextEdit } from 'vscode-languageserver';
import { isDeepStrictEqual } from 'node:util';
import { asText } from '../../contract/json.js';
import { findMember } from '../../language/source/tree.js';
import { createRequestHandler, type Feature, type ServerContext } from '../server-context.js';
import { statementAt, type QueryContext } from '../queries/query-context.js';
import { findSyntax } from '../queries/reserved.js';
import {
  createStatementEdits,
  findStatement,
  findStatementAt,
  type LocatedStatement,
} from '../statements/locate-statement.js';
import {
  formatStatementText,
  readStatementText,
  StatementTextError,
  toWrittenContent,
  type StatementContent,
} from '../statements/statement-text.js';
import { createStatementUri } from '../statements/statement-uri.js';
import type { DocumentContext } from '../document-context.js';

/** With a position or a pointer. */
export interface StatementParams {
  readonly uri: string;
  readonly position?: Position;
  readonly pointer?: string;
}

export interface StatementResult {
  /** Of its own editor. */
  readonly statementUri: string;
  readonly pointer: string;
  readonly text: string;
  /** What the definition has; `lintel/writeStatement` compares with it. */
  readonly content: StatementContent;
  /** URI of the folder of the project. */
  readonly folder: string;
  /** The connection that it names; null: the default one. */
  readonly connection: string | null;
  readonly syntax: string | null;
}

export interface WriteStatementParams {
  readonly uri: string;
  readonly pointer: string;
  readonly before: StatementContent;
  readonly text: string;
}

export interface WriteStatementResult {
  /** Of the definition. */
  readonly edits: readonly TextEdit[];
  /** What the definition has then; null if nothing can be written. */
  readonly content: StatementContent | null;
  /** Why nothing can be written. */
  readonly message: string | null;
}

export interface ReadStatementResult {
  readonly content: StatementContent | null;
  readonly message: string | null;
}

export const statements: Feature = {
  capabilities: () => ({ experimental: { lintelRequests: true, lintelStatements: true } }),
  attach(server) {
    const { connection } = server;
    connection.onRequest(
      'lintel/statement',
      createRequestHandler<StatementParams, StatementResult | null>(server, null, (params) =>
        readStatement(server, params),
      ),
    );
    connection.onRequest(
      'lintel/writeStatement',
      createRequestHandler<WriteStatementParams, WriteStatementResult>(
        server,
        refuseWrite('The statement could not be written; the log has the reason.'),
        (params) => writeStatement(server, params),
      ),
    );
    connection.onRequest(
      'lintel/readStatement',
      createRequestHandler<{ readonly text: string }, ReadStatementResult>(
        server,
        { content: null, message: null },
        ({ text }) =>
          catchTextError<ReadStatementResult>(
            () => {
              const { sql, parameters } = readStatementText(text);
              return { content: { sql, parameters }, message: null };
            },
            (message) => ({ content: null, message }),
          ),
      ),
    );
  },
};

async function readStatement(
  server: ServerContext,
  { uri, position, pointer }: StatementParams,
): Promise<StatementResult | null> {
  const view = await server.loadDocument(uri);
  if (view === null) return null;
  const found =
    pointer !== undefined
      ? findStatement(view, pointer)
      : position === undefined
        ? null
        : findStatementAt(view, view.offsetAt(position));
  if (found === null) return null;
  const query = statementAt(view, view.getTypedCursorContext(found.node.start + 1));
  const named = query?.around && query.field.meta.beside?.connection;
  const connection = query?.around && named ? findMember(query.around, named)?.value : null;
  const ran = query?.action?.stores.find(({ kind }) => kind === query.field.meta.store)?.instance;
  return {
    statementUri: createStatementUri(createName(view, found, query), { uri, pointer: found.pointer }),
    pointer: found.pointer,
    text: formatStatementText(found.content),
    content: found.content,
    folder: pathToFileURL(view.project.folder).href,
    connection: connection ? asText(connection.scalar) : (ran ?? null),
    syntax: query === null ? null : findSyntax(view, query),
  };
}

/** `notes-add 1`: the actionable; otherwise the file and the numbers of the pointer. */
function createName(
  { doc: { file } }: DocumentContext,
  { pointer }: LocatedStatement,
  query: QueryContext | null,
): string {
  if (query?.action) return `${query.action.resource} ${query.action.id}`;
  const base = file.slice(file.lastIndexOf('/') + 1).replace(/\.(?:resource|model)?\.?jsonc?$/, '');
  const numbers = pointer.split('/').filter((part) => /^\d+$/.test(part));
  return [base, ...numbers.map((part) => Number(part) + 1)].join(' ');
}

async function writeStatement(
  server: ServerContext,
  { uri, pointer, before, text }: WriteStatementParams,
): Promise<WriteStatementResult> {
  const view = await server.loadDocument(uri);
  const found = view === null ? null : findStatement(view, pointer);
  if (view === null || found === null || !isDeepStrictEqual(toPlain(found.content), toPlain(before)))
    return refuseWrite(CHANGED);
  return catchTextError<WriteStatementResult>(() => {
    const content = toWrittenContent(text, found.content);
    const edits = createStatementEdits(found, content).map(({ start, end, text: newText }) => ({
      range: view.range(start, end),
      newText,
    }));
    return { edits, content, message: null };
  }, refuseWrite);
}

const CHANGED =
  'The definition has another statement here since this one was opened. ' +
  'Copy what you need, close this editor and open the statement again.';

const refuseWrite = (message: string): WriteStatementResult => ({ edits: [], content: null, message });

/** Without the prototypes of what was read. */
const toPlain = (content: StatementContent): unknown => JSON.parse(JSON.stringify(content));

function catchTextError<R>(work: () => R, answer: (message: string) => R): R {
  try {
    return work();
  } catch (error) {
    if (error instanceof StatementTextError) return answer(error.message);
    throw error;
  }
}
