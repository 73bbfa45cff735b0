/** Hover in document queries: placeholders, collections, field names, operators, paths. */
import { parsePlaceholder } from '../../language/strings/placeholder.js';
import { documentNamesAt, findMeaning } from '../queries/document-scope.js';
import { pathMarkdown } from '../queries/describe-path.js';
import { namePlaceAt, pathIn, valuePlaceAt } from '../queries/documents.js';
import { placeholderMarkdown } from '../queries/parameters.js';
import { documentQueryAt, type DocumentQueryContext } from '../queries/query-context.js';
import { tableMarkdown, getTables } from '../queries/tables.js';
import { toCodeSpan, safeMarkdown } from '../safe-markdown.js';
import type { CursorContext, DocumentContext } from '../document-context.js';
import { toAnalysedContext, createTokenHover, type HoverSource, type HoverResult } from './hover-source.js';

export const hoverDocumentQuery: HoverSource = (view, typed) => {
  const { token, at } = typed.cursor;
  if (token?.isString !== true || at === 'none' || documentQueryAt(view, typed) === null) return null;
  // Parameters and models come from the analysis.
  const site = toAnalysedContext(view, typed);
  const query = documentQueryAt(view, site);
  if (query === null) return null;
  if (at === 'value') return createValueHover(view, site, query, token.text);
  const place = namePlaceAt(site, query.depth);
  const words = place?.words?.[token.text];
  if (words !== undefined) return createTokenHover(site, `**${toCodeSpan(token.text)}**\n\n${safeMarkdown(words)}`);
  return place?.fields === undefined ? null : createPathHover(view, site, query, token.text);
};

function createValueHover(
  view: DocumentContext,
  site: CursorContext,
  query: DocumentQueryContext,
  text: string,
): HoverResult | null {
  const kind = valuePlaceAt(site, query.depth)?.text;
  if (kind === 'collection' || site.levels.at(-1)?.field?.meta.language === 'collection') {
    const model = getTables(view).findModel(text);
    return model === undefined ? null : createTokenHover(site, tableMarkdown(view, model));
  }
  const n = parsePlaceholder(text);
  const isEntry = site.levels[query.depth + 1]?.key === query.field.meta.binds;
  if (n !== null) return isEntry ? null : createTokenHover(site, placeholderMarkdown(n, query, view.registry));
  const path = pathIn(kind, text);
  return path === null ? null : createPathHover(view, site, query, path);
}

function createPathHover(
  view: DocumentContext,
  site: CursorContext,
  query: DocumentQueryContext,
  path: string,
): HoverResult | null {
  const meaning = findMeaning(documentNamesAt(view, site, query), path);
  return meaning === undefined ? null : createTokenHover(site, pathMarkdown(view, { path, meaning }));
}
