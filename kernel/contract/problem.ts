/**
 * What the front end says about a definition: data only. The same rows feed `lintel check`, the boot log and editors,
 * so nothing here knows how a problem is shown.
 */
export type Severity = 'error' | 'warning' | 'hint';

/** Zero-based; `character` counts UTF-16 code units, as editors do. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export interface Place {
  readonly file: string;
  readonly range: Range;
}

export interface Related extends Place {
  readonly message: string;
}

/** One textual replacement that would mend the problem. */
export interface Fix extends Place {
  readonly title: string;
  readonly text: string;
}

export interface Problem extends Place {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly related: readonly Related[];
  readonly fix?: Fix;
}

export const hasErrors = (problems: readonly Problem[]): boolean =>
  problems.some((problem) => problem.severity === 'error');

/** One row of the catalogue of codes. `{name}` in `message` stands for a parameter. */
export interface CodeEntry {
  readonly title: string;
  readonly message: string;
  readonly help: string;
  /** Set for problems found in definitions. */
  readonly severity?: Severity;
  /** Set for faults of a running request: the HTTP status. */
  readonly status?: number;
}

export type Params = Readonly<Record<string, string | number | undefined>>;

/** Fills `{name}` in a catalogue message; a parameter that is absent becomes nothing. */
export function fillMessage(template: string, params: Params): string {
  return template
    .replace(/\{([a-zA-Z]+)\}/g, (_, name: string) => String(params[name] ?? ''))
    .replace(/ +/g, ' ')
    .trim();
}
