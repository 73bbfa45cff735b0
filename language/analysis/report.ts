/** Collects diagnostics and converts them into Problems. */
import type { CodeEntry, Fix, Params, FileRange, Problem, Severity } from '../../contract/problem.js';
import { fillMessage } from '../../contract/problem.js';
import { rangeAt, type Document, type TextChange } from '../source/document.js';
import type { SourceFault } from '../source/tree.js';

export interface Span {
  readonly start: number;
  readonly end: number;
}

export const isInside = (inner: Span, outer: Span): boolean => inner.start >= outer.start && inner.end <= outer.end;

export interface SourceLocation extends Span {
  readonly doc: Document;
}

export interface ReportOptions {
  readonly related?: readonly { readonly message: string; readonly spot: SourceLocation }[];
  readonly fix?: FixOption;
  readonly cause?: string | undefined;
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
  /** The fix writes the value as it is; `withholdClearFixes` removes it. */
  readonly isClear?: true;
}

/** A pending diagnostic, with offsets that follow the text. */
export interface PendingProblem {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly spot: SourceLocation;
  readonly related: readonly { readonly message: string; readonly spot: SourceLocation }[];
  readonly cause?: string | undefined;
  readonly fix: (FixOption & { readonly span: Span }) | null;
  readonly others: readonly (FixOption & { readonly span: Span })[];
}

export interface Report {
  add(code: string, spot: SourceLocation, params?: Params, options?: ReportOptions): void;
  merge(rows: readonly PendingProblem[]): void;
  /** Turns confirmed rows into errors. */
  raiseToErrors(rows: readonly PendingProblem[]): void;
  withholdClearFixes(spot: SourceLocation): void;
  readonly rows: readonly PendingProblem[];
  readonly errors: number;
}

/** `asks`: the author must review the result. */
export function createFix(title: string, changes: readonly TextChange[], asks = false): Pick<ReportOptions, 'fix'> {
  const [first, ...more] = changes;
  if (first === undefined) return {};
  const { start, end, text } = first;
  return { fix: { title, text, span: { start, end }, ...(more.length > 0 && { more }), ...(asks && { asks: true }) } };
}

type Codes = Readonly<Record<string, CodeEntry>>;

export const createReport = (codes: Codes): Report => new CollectingReport(codes);

/** A class, because each stage of each definition creates one. */
class CollectingReport implements Report {
  readonly rows: PendingProblem[] = [];
  errors = 0;
  readonly #codes: Codes;
  constructor(codes: Codes) {
    this.#codes = codes;
  }
  add(
    code: string,
    spot: SourceLocation,
    params: Params = {},
    { related = [], fix, others = [], cause }: ReportOptions = {},
  ): void {
    const entry = this.#codes[code];
    if (entry?.severity === undefined) throw new Error(`"${code}" is not the code of a problem`);
    const { severity } = entry;
    const message = fillMessage(entry.message, capitalizePlace(entry.message, params));
    const withSpan = (one: FixOption) => ({ ...one, span: one.span ?? spot });
    const first = fix === undefined ? null : withSpan(fix);
    const own = cause ?? createCause(code, entry, params);
    this.#append({ code, severity, message, spot, related, cause: own, fix: first, others: others.map(withSpan) });
  }
  merge(more: readonly PendingProblem[]): void {
    for (const row of more) this.#append(row);
  }
  raiseToErrors(certain: readonly PendingProblem[]): void {
    for (const [i, row] of this.rows.entries()) {
      if (row.severity === 'error' || !certain.includes(row)) continue;
      this.rows[i] = { ...row, severity: 'error' };
      this.errors++;
    }
  }
  withholdClearFixes({ doc, start, end }: SourceLocation): void {
    for (const [i, row] of this.rows.entries()) {
      if (row.spot.doc !== doc || row.spot.start !== start || row.spot.end !== end) continue;
      const [fix = null, ...others] = [row.fix ?? [], row.others].flat().filter(({ isClear }) => isClear !== true);
      this.rows[i] = { ...row, fix, others };
    }
  }
  #append(row: PendingProblem): void {
    if (row.severity === 'error') this.errors++;
    this.rows.push(row);
  }
}

const NO_FILES: ReadonlySet<string> = new Set();

/**
 * `repaired`: files read as if a lost character were there. Its place is a guess, so other fixes than that of the
 * character are left out.
 */
export function toProblems({ rows }: Pick<Report, 'rows'>, repaired = NO_FILES): Problem[] {
  return rows.map(({ code, severity, message, spot, related, cause, fix, others }) => {
    const isGuess = repaired.has(spot.doc.file) && !code.startsWith('SRC_');
    return {
      code,
      severity,
      message,
      ...toPlace(spot),
      related: related.map((one) => ({ message: one.message, ...toPlace(one.spot) })),
      ...(cause !== undefined && { cause }),
      ...(fix && !isGuess && { fix: toFix(spot.doc, fix) }),
      ...(others.length > 0 && !isGuess && { others: others.map((one) => toFix(spot.doc, one)) }),
    };
  });
}

function toFix(own: Document, { title, text, span, more, asks, doc = own }: NonNullable<PendingProblem['fix']>): Fix {
  return {
    title,
    text,
    ...toPlace({ doc, ...toSpan(span) }),
    ...(more && { more: more.map((one) => ({ range: rangeAt(doc, one.start, one.end), text: one.text })) }),
    ...(asks === true && { asks }),
  };
}

const toSpan = ({ start, end }: Span): Span => ({ start, end });
const toPlace = ({ doc, start, end }: SourceLocation): FileRange => ({
  file: doc.file,
  range: rangeAt(doc, start, end),
});

/** At the start of a message: `This actionable needs ...`. */
function capitalizePlace(template: string, params: Params): Params {
  const { place } = params;
  if (typeof place !== 'string' || !template.startsWith('{place}')) return params;
  return { ...params, place: place.charAt(0).toUpperCase() + place.slice(1) };
}

export function reportFaults(doc: Document, faults: readonly SourceFault[], report: Report): void {
  for (const { code, params, start, end, related, fix } of faults) {
    const options = {
      ...(related && { related: [{ message: related.message, spot: { doc, ...related } }] }),
      ...(fix && createFix(fix.title, fix.changes, fix.asks)),
    };
    report.add(code, { doc, start, end }, params, options);
  }
}

/** In its model, and in each statement that names it. */
const createCause = (code: string, { cause }: CodeEntry, params: Params): string | undefined =>
  cause === undefined ? undefined : JSON.stringify([code, ...cause.map((name) => params[name])]);

export const createCaseCause = (field: string): string => `case ${field}`;

export const formatHint = (name: string | undefined): string => (name === undefined ? '' : ` Did you mean "${name}"?`);

/** Replaces the wrong name by a similar one, in quotes. */
export const createRenameFix = (near: string | undefined): Pick<ReportOptions, 'fix'> =>
  near === undefined ? {} : { fix: { title: `change to "${near}"`, text: JSON.stringify(near) } };

/** Orders problems by file, then by position. */
export const compareByPlace = (a: Problem, b: Problem): number =>
  a.file < b.file
    ? -1
    : a.file > b.file
      ? 1
      : a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character;
