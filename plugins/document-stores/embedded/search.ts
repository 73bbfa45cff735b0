/**
 * `$text` by the database's English full-text search. Requires all quoted phrases, else any word; excludes what
 * follows a minus.
 */
import { createFault } from '../../../contract/fault.js';
import type { Document } from '../kind.js';
import type { CollectionIndex } from '../shared/plan.js';

export interface Search {
  /** Parameters are numbered from `first`. */
  readonly conditions: (first: number) => readonly string[];
  readonly values: readonly unknown[];
}

export const listSearchedFields = (indexes: readonly CollectionIndex[]): readonly string[] =>
  indexes.find(({ words }) => words !== null)?.words ?? [];

/** Must equal the expression of the index. */
export function formatSearchVector(fields: readonly string[]): string {
  const parts = fields.map((field) => `coalesce(doc #>> ${formatPathLiteral(field)}, '')`);
  return `to_tsvector('english'::regconfig, ${parts.join(` || ' ' || `)})`;
}

/** Names come from models. */
export const formatPathLiteral = (field: string): string => {
  const quoted = `"${field.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  return `'{${quoted.replaceAll("'", "''")}}'::text[]`;
};

const rejectSearch = (reason: string): never => {
  throw createFault('QRY_FAILED', {}, { cause: new Error(`$text: ${reason}`) });
};

interface SearchExtraction {
  readonly search: Search | null;
  readonly rest: Document;
}

/** `$text` may be at the top level or inside `$and`. */
export function extractSearch(filter: Document, fields: readonly string[]): SearchExtraction {
  const { $text: text, $comment: _, ...rest } = filter;
  if (text !== undefined) return { search: createSearch(text, fields), rest };
  const all = filter['$and'];
  if (!Array.isArray(all)) return { search: null, rest };
  const parts = (all as readonly Document[]).map((part) => extractSearch(part, fields));
  const found = parts.filter(({ search }) => search !== null);
  if (found.length > 1) rejectSearch('stands more than once');
  return { search: found[0]?.search ?? null, rest: { ...rest, $and: parts.map((part) => part.rest) } };
}

function createSearch(text: unknown, fields: readonly string[]): Search {
  if (fields.length === 0) rejectSearch('no field of the model is searched (`fts`)');
  const asked = typeof text === 'object' && text !== null ? (text as Document)['$search'] : undefined;
  if (typeof asked !== 'string') return rejectSearch('`$search` is no text');
  const clean = asked.replaceAll('\0', ' ').toWellFormed();
  const phrases = [...clean.matchAll(/(?<![^\s-])(-?)"([^"]*)"/g)];
  const words = clean.replace(/-?"[^"]*"/g, ' ').split(/\s+/);
  const wanted = words.filter((word) => !word.startsWith('-')).join(' ');
  const unwanted = words.filter((word) => word.startsWith('-')).map((word) => word.slice(1));
  const must = phrases.filter(([, minus]) => minus === '').map(([, , phrase = '']) => phrase);
  const mustNot = [...unwanted, ...phrases.filter(([, minus]) => minus !== '').map(([, , phrase = '']) => phrase)];
  const values = [must.length === 0 ? wanted : '', must, mustNot];
  const vector = formatSearchVector(fields);
  return {
    values,
    conditions: (first) => [
      ...(must.length === 0 ? [`${vector} @@ ${toAnyWordQuery(`$${first}::text`)}`] : [`$${first}::text IS NOT NULL`]),
      `(SELECT coalesce(bool_and(${vector} @@ phraseto_tsquery('english', phrase)), true) FROM unnest($${first + 1}::text[]) AS phrase)`,
      `NOT (SELECT coalesce(bool_or(${vector} @@ phraseto_tsquery('english', word)), false) FROM unnest($${first + 2}::text[]) AS word)`,
    ],
  };
}

const toAnyWordQuery = (value: string): string =>
  `replace(plainto_tsquery('english', ${value})::text, ' & ', ' | ')::tsquery`;
