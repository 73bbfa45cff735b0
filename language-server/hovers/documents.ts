/** Hover in document queries: placeholders, collections, field names, operators, paths. */
import { placeholderOf } from '../../language/strings/placeholder.js';
import { documentNamesAt, meaningOf } from '../queries/document-scope.js';
import { pathMarkdown } from '../queries/document-words.js';
import { namePlaceAt, pathIn, valuePlaceAt } from '../queries/documents.js';
import { placeholderMarkdown } from '../queries/parameters.js';
import { documentQueryAt, type DocumentSite } from '../queries/query-site.js';
import { tableMarkdown, tablesOf } from '../queries/tables.js';
import { inCode, safeMarkdown } from '../safe-markdown.js';
import type { Site, View } from '../view.js';
import { analysedSite, ofToken, type HoverSource, type Told } from './source.js';

export const documentHover: HoverSource = (view, typed) => {
  const { token, at } = typed.cursor;
  if (token?.isString !== true || at === 'none' || documentQueryAt(view, typed) === null) return null;
  // Parameters and models come from the analysis.
  const site = analysedSite(view, typed);
  const query = documentQueryAt(view, site);
  if (query === null) return null;
  if (at === 'value') return ofValue(view, site, query, token.text);
  const place = namePlaceAt(site, query.depth);
  const words = place?.words?.[token.text];
  if (words !== undefined) return ofToken(site, `**${inCode(token.text)}**\n\n${safeMarkdown(words)}`);
  return place?.fields === undefined ? null : ofPath(view, site, query, token.text);
};

function ofValue(view: View, site: Site, query: DocumentSite, text: string): Told | null {
  const kind = valuePlaceAt(site, query.depth)?.text;
  if (kind === 'collection' || site.levels.at(-1)?.field?.meta.language === 'collection') {
    const model = tablesOf(view).modelOf(text);
    return model === undefined ? null : ofToken(site, tableMarkdown(view, model));
  }
  const n = placeholderOf(text);
  const isEntry = site.levels[query.depth + 1]?.key === query.field.meta.binds;
  if (n !== null) return isEntry ? null : ofToken(site, placeholderMarkdown(n, query, view.registry));
  const path = pathIn(kind, text);
  return path === null ? null : ofPath(view, site, query, path);
}

function ofPath(view: View, site: Site, query: DocumentSite, path: string): Told | null {
  const meaning = meaningOf(documentNamesAt(view, site, query), path);
  return meaning === undefined ? null : ofToken(site, pathMarkdown(view, { path, meaning }));
}
