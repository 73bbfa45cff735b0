/** Finds a statement of a file by position or pointer, and the edits that write another one in its place. */
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../contract/json.js';
import { createDocument } from '../../language/source/document.js';
import { parseDamagedSource } from '../../language/source/repair.js';
import { findMember, toJson, type LocatedNode } from '../../language/source/tree.js';
import type { DocumentContext } from '../document-context.js';
import { statementAt } from '../queries/query-context.js';
import type { StatementContent } from './statement-text.js';

export interface LocatedStatement {
  /** Within the file. */
  readonly pointer: string;
  readonly node: LocatedNode;
  /** The list of parameters; null if there is none. */
  readonly list: LocatedNode | null;
  /** The name of the list; null: its values cannot be written. */
  readonly binds: string | null;
  readonly content: StatementContent;
}

export function findStatementAt(view: DocumentContext, offset: number): LocatedStatement | null {
  const site = view.getTypedCursorContext(offset);
  const query = statementAt(view, site);
  const found = query === null ? null : findPath(view.tree.root, (node) => isAround(node, offset));
  const [node, parent] = [found?.at(-1), found?.at(-2)];
  if (query === null || node?.type !== 'string' || parent === undefined) return null;
  return toLocatedStatement(node, parent, query.field.meta.binds ?? null);
}

export function findStatement(view: DocumentContext, pointer: string): LocatedStatement | null {
  const found = findPath(view.tree.root, (node) => `${pointer}/`.startsWith(`${node.pointer}/`));
  const node = found?.at(-1);
  return node?.type !== 'string' || node.pointer !== pointer ? null : findStatementAt(view, node.start + 1);
}

const isAround = ({ start, end }: LocatedNode, offset: number): boolean => start < offset && offset < end;

/** The nodes from the root to the innermost one that meets a condition. */
function findPath(root: LocatedNode | null, meets: (node: LocatedNode) => boolean): readonly LocatedNode[] | null {
  if (root === null || !meets(root)) return null;
  for (const inner of [...root.items, ...root.members.flatMap(({ value }) => value ?? [])]) {
    const found = findPath(inner, meets);
    if (found !== null) return [root, ...found];
  }
  return [root];
}

function toLocatedStatement(node: LocatedNode, parent: LocatedNode, named: string | null): LocatedStatement {
  const value = named === null ? null : (findMember(parent, named)?.value ?? null);
  const list = value?.type === 'array' ? value : null;
  const isWritable = value === null || list !== null;
  const parameters = isWritable && named !== null ? (list?.items ?? []).map(toJson) : null;
  const binds = isWritable ? named : null;
  return { pointer: node.pointer, node, list, binds, content: { sql: String(node.scalar), parameters } };
}

export interface FileEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** In their order; none if nothing changes. */
export function createStatementEdits(
  { node, list, binds, content }: LocatedStatement,
  { sql, parameters }: StatementContent,
): FileEdit[] {
  const edits: FileEdit[] =
    sql === content.sql ? [] : [{ start: node.start, end: node.end, text: JSON.stringify(sql) }];
  if (parameters !== null && binds !== null && !isDeepStrictEqual(parameters, content.parameters ?? [])) {
    const written = `[${parameters.map((value) => JSON.stringify(value)).join(', ')}]`;
    edits.push(
      list === null
        ? { start: node.end, end: node.end, text: `, ${JSON.stringify(binds)}: ${written}` }
        : { start: list.start, end: list.end, text: written },
    );
  }
  return edits.sort((a, b) => a.start - b.start || a.end - b.end);
}

export function applyFileEdits(text: string, edits: readonly FileEdit[]): string {
  let written = '';
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    written += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return written + text.slice(at);
}

/** The parameters of the statement in a text of the file; null if it has no list there. */
export function readParameters(text: string, pointer: string, binds: string): readonly Json[] | null {
  const parent = pointer.slice(0, pointer.lastIndexOf('/'));
  const { root } = parseDamagedSource(createDocument('', text));
  const found = findPath(root, (node) => `${parent}/`.startsWith(`${node.pointer}/`))?.at(-1);
  const value = found?.pointer === parent ? findMember(found, binds)?.value : null;
  return value?.type === 'array' ? value.items.map(toJson) : null;
}
