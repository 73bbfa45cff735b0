/** Describes a name in a document query: the model field or the stage that created it. */
import { toCodeSpan } from '../safe-markdown.js';
import type { DocumentContext } from '../document-context.js';
import type { DocumentPath } from './document-scope.js';
import { columnMarkdown, columnType, tableMarkdown } from './tables.js';

/** Short text next to the name in a completion list. */
export const pathDetail = (view: DocumentContext, { meaning }: DocumentPath): string =>
  'stage' in meaning ? `made by ${meaning.stage}` : columnType(view, meaning.column);

export function pathMarkdown(view: DocumentContext, { path, meaning }: DocumentPath): string {
  if (!('stage' in meaning)) return columnMarkdown(view, meaning.column);
  const made = `**${toCodeSpan(path)}**, made by ${toCodeSpan(meaning.stage)}`;
  return meaning.model === undefined ? made : `${made}: documents of\n\n${tableMarkdown(view, meaning.model)}`;
}
