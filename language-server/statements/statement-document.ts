/**
 * A statement in an editor of its own, as a part of the definition that it would be saved into. Features answer for that text, and
 * their answers are led back.
 */
import type { Position, Range } from 'vscode-languageserver';
import { createDocument, type Document } from '../../language/source/document.js';
import { toDecodedOffset, toDocumentOffset } from '../../language/source/escapes.js';
import { createDocumentContext, type DocumentContext } from '../document-context.js';
import type { ServerContext } from '../server-context.js';
import { applyFileEdits, createStatementEdits, findStatement, type LocatedStatement } from './locate-statement.js';
import { getParameters, readStatementText, StatementTextError, type StatementText } from './statement-text.js';
import { readStatementUri } from './statement-uri.js';

export interface StatementDocument {
  /** The definition with this statement in it. */
  readonly view: DocumentContext;
  readonly located: LocatedStatement;
  readonly text: StatementText;
  /** The text of the editor. */
  readonly doc: Document;
  /** Null in the legend. */
  readonly toFileOffset: (position: Position) => number | null;
  /** Null for a range outside of the statement. */
  readonly toStatementRange: (range: Range) => Range | null;
  readonly toPosition: (offset: number) => Position;
}

/** Null if there is no such statement, or its legend cannot be read. */
export async function openStatement(server: ServerContext, uri: string): Promise<StatementDocument | null> {
  const address = readStatementUri(uri);
  const written = server.getOpenText(uri);
  const view = address === null || written === null ? null : await server.loadDocument(address.uri);
  const located = view === null || address === null ? null : findStatement(view, address.pointer);
  if (view === null || written === null || located === null) return null;
  try {
    return createStatementDocument(view, located, written);
  } catch (error) {
    if (error instanceof StatementTextError) return null;
    throw error;
  }
}

/** Throws a StatementTextError. */
export function createStatementDocument(
  { project, name, doc: { text: file } }: DocumentContext,
  before: LocatedStatement,
  written: string,
): StatementDocument | null {
  const text = readStatementText(written);
  const supposed = applyFileEdits(
    file,
    createStatementEdits(before, { sql: text.sql, parameters: getParameters(text, before.content) }),
  );
  const view = createDocumentContext(project, name, supposed);
  const located = view === null ? null : findStatement(view, before.pointer);
  if (view === null || located === null) return null;
  // Offsets of the text count line ends as one character.
  const doc = createDocument('', written.replace(/\r\n/g, '\n'));
  const toPosition = (offset: number): Position => {
    const line = doc.lineStarts.findLastIndex((start) => start <= offset);
    return { line, character: offset - (doc.lineStarts[line] ?? 0) };
  };
  const { node } = located;
  return {
    view,
    located,
    text,
    doc,
    toPosition,
    toFileOffset({ line, character }) {
      const offset = (doc.lineStarts[line] ?? doc.text.length) + character - text.start;
      return offset < 0 ? null : toDocumentOffset(view.doc, node, offset);
    },
    toStatementRange({ start, end }) {
      const [from, to] = [view.offsetAt(start), view.offsetAt(end)];
      if (from <= node.start || to >= node.end) return null;
      const toOwn = (offset: number): Position => toPosition(text.start + toDecodedOffset(view.doc, node, offset));
      return { start: toOwn(from), end: toOwn(to) };
    },
  };
}
