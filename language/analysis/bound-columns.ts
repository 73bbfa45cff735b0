/** Finds the columns that a parameter is written to or compared with. */
import { parsePlaceholder } from '../strings/placeholder.js';
import { findMember, type LocatedNode } from '../source/tree.js';
import type { Refers } from '../../contract/field-meta.js';
import type { DocumentQuery, WalkResult, SqlText } from './facts.js';

export interface ParameterColumns {
  readonly query: SqlText | DocumentQuery;
  /** Nested document fields are written with dots. */
  readonly columns: readonly string[];
}

/** Null if `node` is no parameter of a query. `refers`: the metadata of the entry. */
export function findParameterColumns(
  { statements, documents }: WalkResult,
  node: LocatedNode,
  refers: Refers | null,
): ParameterColumns | null {
  const statement = statements.find(({ parameters }) => parameters.includes(node));
  if (statement !== undefined) {
    const n = statement.parameters.indexOf(node) + 1;
    const columns = statement.scan.placeholders.flatMap((one) =>
      one.n === n && one.stands !== null ? one.stands : [],
    );
    return { query: statement, columns: [...new Set(columns)] };
  }
  const query = documents.find(({ parameters }) => parameters.includes(node));
  if (query === undefined) return null;
  const n = query.parameters.indexOf(node) + 1;
  const own = isOwnField(query, refers) && node.type === 'string' ? [String(node.scalar)] : [];
  return { query, columns: [...new Set([...own, ...findFields(query, n)])] };
}

/** The entries of the list are names of written fields. */
export function isOwnField({ around }: DocumentQuery, refers: Refers | null): boolean {
  const firm = refers?.firm;
  if (firm === undefined || findMember(around, firm.without) !== undefined) return false;
  return findMember(around, firm.field)?.value?.scalar === firm.is;
}

/** Fields with placeholder `n` as value or operand. */
function findFields({ around, parameters }: DocumentQuery, n: number): string[] {
  const found: string[] = [];
  const visit = (node: LocatedNode, path: readonly string[]): void => {
    if (node.type === 'string' && path.length > 0 && parsePlaceholder(node.scalar) === n) found.push(path.join('.'));
    for (const item of node.items) visit(item, path);
    for (const { key, value } of node.members)
      if (value !== null) visit(value, key.startsWith('$') ? path : [...path, key]);
  };
  for (const { value } of around.members) {
    if (value === null || value.type === 'string' || value.items.some((item) => parameters.includes(item))) continue;
    visit(value, []);
  }
  return found;
}
