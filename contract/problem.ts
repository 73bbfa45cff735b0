/** Diagnostics of definitions, and the problem documents of responses. */

export type Severity = 'error' | 'warning' | 'hint';

export type ProblemTag = 'deprecated' | 'unnecessary';

/** Zero-based; `character` counts UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export interface FileRange {
  readonly file: string;
  readonly range: Range;
}

export interface Related extends FileRange {
  readonly message: string;
}

export interface Fix extends FileRange {
  readonly title: string;
  readonly text: string;
  /** In the same file, not overlapping. */
  readonly more?: readonly { readonly range: Range; readonly text: string }[];
  /** Another change is necessary as well, or the value is only a placeholder. */
  readonly asks?: true;
}

export interface Problem extends FileRange {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly related: readonly Related[];
  /** Problems of one cause are solved by one decision, and lists show them as one. */
  readonly cause?: string;
  readonly fix?: Fix;
  /** For an ambiguous intent. */
  readonly others?: readonly Fix[];
}

export const hasErrors = (problems: readonly Problem[]): boolean =>
  problems.some((problem) => problem.severity === 'error');

/** `advice`: valid, but could be better. */
export type Certainty = 'certain' | 'likely' | 'advice';

const CERTAINTY = { error: 'certain', warning: 'likely', hint: 'advice' } as const;

/** Errors are certain, warnings likely and hints advice, unless the code overrides it. */
export const getCertainty = ({ severity = 'error', certainty }: Pick<CodeEntry, 'severity' | 'certainty'>): Certainty =>
  certainty ?? CERTAINTY[severity];

/** An entry of the catalogue. `{name}` in `message` is a parameter. */
export interface CodeEntry {
  readonly title: string;
  readonly message: string;
  readonly help: string;
  /** For problems of definitions. */
  readonly severity?: Severity;
  /** How editors draw the location: struck through or faded. */
  readonly tag?: ProblemTag;
  /** For faults of a request: the HTTP status. */
  readonly status?: number;
  /** Where it differs from that of the severity. */
  readonly certainty?: Certainty;
  /** For errors about one name or setting used in many places: the parameters that identify it. */
  readonly cause?: readonly string[];
  /** `all`: reliable only when every plugin is known; otherwise editors omit the problem. */
  readonly plugins?: 'all';
}

export type Params = Readonly<Record<string, string | number | undefined>>;

/** An absent parameter becomes empty. */
export function fillMessage(template: string, params: Params): string {
  return template
    .replace(/\{([a-zA-Z]+)\}/g, (_, name: string) => String(params[name] ?? ''))
    .replace(/ +/g, ' ')
    .trim();
}

/** `pointer` is a JSON pointer into the payload. */
export interface Issue {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** RFC 9457. */
export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly errors?: readonly Issue[];
  readonly success: false;
  readonly message: string;
}

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ProblemDetails;
}
