/** The address of a statement in an editor of its own: a name to show, and the place in a definition. */
export interface StatementAddress {
  /** URI of the file, as the editor spells it. */
  readonly uri: string;
  readonly pointer: string;
}

export const STATEMENT_SCHEME = 'lintel-sql';

export const isStatementUri = (uri: string): boolean => uri.startsWith(`${STATEMENT_SCHEME}:`);

export const createStatementUri = (name: string, { uri, pointer }: StatementAddress): string =>
  `${STATEMENT_SCHEME}:/${encodeURIComponent(name)}.sql?${encodeURIComponent(JSON.stringify({ uri, pointer }))}`;

/** Null for any other text. Editors may encode the query in their own way. */
export function readStatementUri(text: string): StatementAddress | null {
  if (!isStatementUri(text)) return null;
  try {
    const query = decodeURIComponent(text.slice(text.indexOf('?') + 1));
    const { uri, pointer } = JSON.parse(query) as Partial<StatementAddress>;
    return typeof uri === 'string' && typeof pointer === 'string' ? { uri, pointer } : null;
  } catch {
    return null;
  }
}
