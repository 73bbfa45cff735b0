/** Where stages put what they find. Turns code, place and parameters into a Problem with the words of the catalogue. */
import type { CodeEntry, Fix, Params, Problem, Related } from '../contract/problem.js';
import { fillMessage } from '../contract/problem.js';
import { rangeAt, type Document } from '../source/document.js';
import type { SourceFault } from '../source/tree.js';

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
  /** How many of them are errors. */
  readonly errors: number;
}

export function createReport(codes: Readonly<Record<string, CodeEntry>>): Report {
  const problems: Problem[] = [];
  let errors = 0;
  return {
    problems,
    get errors() {
      return errors;
    },
    add(code, spot, params = {}, options = {}) {
      const entry = codes[code];
      if (entry?.severity === undefined) throw new Error(`"${code}" is not the code of a problem`);
      if (entry.severity === 'error') errors++;
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
        message: fillMessage(entry.message, sentence(entry.message, params)),
        file: doc.file,
        range: rangeAt(doc, spot.start, spot.end),
        related,
        ...(fix && { fix }),
      });
    },
  };
}

/** A message that begins with the name of a place begins with a capital: `This actionable needs ...`. */
function sentence(template: string, params: Params): Params {
  const { place } = params;
  if (typeof place !== 'string' || !template.startsWith('{place}')) return params;
  return { ...params, place: place.charAt(0).toUpperCase() + place.slice(1) };
}

export function reportFaults(doc: Document, faults: readonly SourceFault[], report: Report): void {
  for (const { code, params, start, end, related } of faults) {
    const options = related && { related: [{ message: related.message, spot: { doc, ...related } }] };
    report.add(code, { doc, start, end }, params, options);
  }
}

/** ` Did you mean "x"?`, or nothing. */
export const hint = (name: string | undefined): string => (name === undefined ? '' : ` Did you mean "${name}"?`);

/** The fix that puts a nearer name, in quotes, where the wrong one stands. */
export const rename = (near: string | undefined): Pick<ReportOptions, 'fix'> =>
  near === undefined ? {} : { fix: { title: `change to "${near}"`, text: JSON.stringify(near) } };

/** Order in which problems are shown: by file, then as they stand in it. */
export const byPlace = (a: Problem, b: Problem): number =>
  a.file < b.file
    ? -1
    : a.file > b.file
      ? 1
      : a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character;
