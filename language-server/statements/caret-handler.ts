/** Answers requests for a position: in a definition, or in a statement that is open in an editor of its own. */
import type { CancellationToken, Position } from 'vscode-languageserver';
import type { DocumentContext } from '../document-context.js';
import { createDocumentHandler, createRequestHandler, type ServerContext } from '../server-context.js';
import { openStatement, type StatementDocument } from './statement-document.js';
import { isStatementUri } from './statement-uri.js';

export interface CaretParams {
  readonly textDocument: { readonly uri: string };
  readonly position: Position;
}

/** In a statement, the answer is that of the place in the definition, and `toStatement` leads it back. */
export function createCaretHandler<P extends CaretParams, R>(
  server: ServerContext,
  nothing: R,
  answer: (view: DocumentContext, offset: number) => R | Promise<R>,
  toStatement: (answer: R, statement: StatementDocument) => R,
): (params: P, token: CancellationToken) => Promise<R> {
  const answerDocument = createDocumentHandler<P, R>(server, nothing, (view, { position }) =>
    answer(view, view.offsetAt(position)),
  );
  const answerStatement = createRequestHandler<P, R>(server, nothing, async ({ textDocument: { uri }, position }) => {
    const statement = await openStatement(server, uri);
    const offset = statement?.toFileOffset(position) ?? null;
    return statement === null || offset === null
      ? nothing
      : toStatement(await answer(statement.view, offset), statement);
  });
  return (params, token) =>
    isStatementUri(params.textDocument.uri) ? answerStatement(params) : answerDocument(params, token);
}
