/** Where stages put what they find. Turns code, place and parameters into a Problem with the words of the catalogue. */
import type { CodeEntry, Fix, Params, Problem, Related } from '../contract/problem.js';
import { fillMessage } from '../contract/problem.js';
import { rangeAt, type Document } from '../source/document.js';

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A place in a file: the document and the characters. */
export interface Spot extends Span {
  readonly doc: Document;
}

export interface ReportOptions {
  readonly related?: readonly { readonly message: string; readonly spot: Spot }[];
  readonly fix?: { readonly title: string; readonly text: string; readonly span?: Span };
}

export interface Report {
  add(code: string, spot: Spot, params?: Params, options?: ReportOptions): void;
  readonly problems: readonly Problem[];
}

export function createReport(codes: Readonly<Record<string, CodeEntry>>): Report {
  const problems: Problem[] = [];
  return {
    problems,
    add(code, spot, params = {}, options = {}) {
      const entry = codes[code];
      if (entry?.severity === undefined) throw new Error(`"${code}" is not the code of a problem`);
      const { doc } = spot;
      const related: Related[] = (options.related ?? []).map(({ message, spot: at }) => ({
        message,
        file: at.doc.file,
        range: rangeAt(at.doc, at.start, at.end),
      }));
      const at = options.fix?.span ?? spot;
      const fix: Fix | undefined = options.fix && {
        title: options.fix.title,
        text: options.fix.text,
        file: doc.file,
        range: rangeAt(doc, at.start, at.end),
      };
      problems.push({
        code,
        severity: entry.severity,
        message: fillMessage(entry.message, params),
        file: doc.file,
        range: rangeAt(doc, spot.start, spot.end),
        related,
        ...(fix && { fix }),
      });
    },
  };
}

/** ` Did you mean "x"?`, or nothing. */
export const hint = (name: string | undefined): string => (name === undefined ? '' : ` Did you mean "${name}"?`);

/** Order in which problems are shown: by file, then as they stand in it. */
export const byPlace = (a: Problem, b: Problem): number =>
  a.file < b.file
    ? -1
    : a.file > b.file
      ? 1
      : a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character;
