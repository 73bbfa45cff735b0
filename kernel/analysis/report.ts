/** Collects diagnostics and converts them into Problems with the messages of the catalogue. */
import type { CodeEntry, Fix, Params, Place, Problem, Severity } from '../contract/problem.js';
import { fillMessage } from '../contract/problem.js';
import { rangeAt, type Document } from '../source/document.js';
import type { SourceFault } from '../source/tree.js';
import { repair } from './repairs.js';

export interface Span {
  readonly start: number;
  readonly end: number;
}

export const inside = (inner: Span, outer: Span): boolean => inner.start >= outer.start && inner.end <= outer.end;

export interface Spot extends Span {
  readonly doc: Document;
}

export interface ReportOptions {
  readonly related?: readonly { readonly message: string; readonly spot: Spot }[];
  readonly fix?: FixOption;
  /** Alternative fixes. */
  readonly others?: readonly FixOption[];
}

export interface FixOption {
  readonly title: string;
  readonly text: string;
  /** The range to replace, if not that of the problem. */
  readonly span?: Span;
  /** The document of `span`, if not that of the problem. */
  readonly doc?: Document;
  readonly more?: readonly (Span & { readonly text: string })[];
  readonly asks?: true;
  /** The value is written as it is sent or declared; `withhold` removes the fix. */
  readonly clear?: true;
}

/** A pending diagnostic: its offsets follow the text, and become ranges at the end. */
export interface Row {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly spot: Spot;
  readonly related: readonly { readonly message: string; readonly spot: Spot }[];
  readonly fix: (FixOption & { readonly span: Span }) | null;
  readonly others: readonly (FixOption & { readonly span: Span })[];
}

export interface Report {
  add(code: string, spot: Spot, params?: Params, options?: ReportOptions): void;
  append(rows: readonly Row[]): void;
  /** Turns confirmed rows into errors. */
  raise(rows: readonly Row[]): void;
  /** Removes the fixes at the spot that write clear text. */
  withhold(spot: Spot): void;
  readonly rows: readonly Row[];
  readonly errors: number;
}

export function createReport(codes: Readonly<Record<string, CodeEntry>>): Report {
  const rows: Row[] = [];
  let errors = 0;
  const append = (row: Row): void => {
    if (row.severity === 'error') errors++;
    rows.push(row);
  };
  return {
    rows,
    get errors() {
      return errors;
    },
    add(code, spot, params = {}, { related = [], fix, others = [] } = {}) {
      const entry = codes[code];
      if (entry?.severity === undefined) throw new Error(`"${code}" is not the code of a problem`);
      const { severity } = entry;
      const message = fillMessage(entry.message, sentence(entry.message, params));
      const change = (one: FixOption) => ({ ...one, span: one.span ?? spot });
      const first = fix === undefined ? null : change(fix);
      append({ code, severity, message, spot, related, fix: first, others: others.map(change) });
    },
    append(more) {
      for (const row of more) append(row);
    },
    raise(certain) {
      for (const [i, row] of rows.entries()) {
        if (row.severity === 'error' || !certain.includes(row)) continue;
        // A stage may have cached the row, so it must not be modified.
        rows[i] = { ...row, severity: 'error' };
        errors++;
      }
    },
    withhold({ doc, start, end }) {
      for (const [i, row] of rows.entries()) {
        if (row.spot.doc !== doc || row.spot.start !== start || row.spot.end !== end) continue;
        const [fix = null, ...others] = [row.fix ?? [], row.others].flat().filter(({ clear }) => clear !== true);
        rows[i] = { ...row, fix, others };
      }
    },
  };
}

/** Ranges refer to the current text. */
export function problemsIn({ rows }: Pick<Report, 'rows'>): Problem[] {
  return rows.map(({ code, severity, message, spot, related, fix, others }) => ({
    code,
    severity,
    message,
    ...placeOf(spot),
    related: related.map((one) => ({ message: one.message, ...placeOf(one.spot) })),
    ...(fix && { fix: fixIn(spot.doc, fix) }),
    ...(others.length > 0 && { others: others.map((one) => fixIn(spot.doc, one)) }),
  }));
}

function fixIn(own: Document, { title, text, span, more, asks, doc = own }: NonNullable<Row['fix']>): Fix {
  return {
    title,
    text,
    ...placeOf({ doc, ...spanOf(span) }),
    ...(more && { more: more.map((one) => ({ range: rangeAt(doc, one.start, one.end), text: one.text })) }),
    ...(asks === true && { asks }),
  };
}

const spanOf = ({ start, end }: Span): Span => ({ start, end });
const placeOf = ({ doc, start, end }: Spot): Place => ({ file: doc.file, range: rangeAt(doc, start, end) });

/** Capitalizes a name at the start of a message: `This actionable needs ...`. */
function sentence(template: string, params: Params): Params {
  const { place } = params;
  if (typeof place !== 'string' || !template.startsWith('{place}')) return params;
  return { ...params, place: place.charAt(0).toUpperCase() + place.slice(1) };
}

export function reportFaults(doc: Document, faults: readonly SourceFault[], report: Report): void {
  for (const { code, params, start, end, related, mend } of faults) {
    const options = {
      ...(related && { related: [{ message: related.message, spot: { doc, ...related } }] }),
      ...(mend && repair(mend.title, mend.changes, mend.asks)),
    };
    report.add(code, { doc, start, end }, params, options);
  }
}

export const hint = (name: string | undefined): string => (name === undefined ? '' : ` Did you mean "${name}"?`);

/** Replaces the wrong name by a similar one, in quotes. */
export const rename = (near: string | undefined): Pick<ReportOptions, 'fix'> =>
  near === undefined ? {} : { fix: { title: `change to "${near}"`, text: JSON.stringify(near) } };

/** Orders problems by file, then by position. */
export const byPlace = (a: Problem, b: Problem): number =>
  a.file < b.file
    ? -1
    : a.file > b.file
      ? 1
      : a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character;
