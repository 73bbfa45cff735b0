/** Diagnostics of definitions, as data only. `lintel check`, the boot log and editors all display them. */
export type Severity = 'error' | 'warning' | 'hint';

export type ProblemTag = 'deprecated' | 'unnecessary';

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

/** A textual replacement that fixes the problem. */
export interface Fix extends Place {
  readonly title: string;
  readonly text: string;
  /** Further replacements in the same file; they do not overlap. */
  readonly more?: readonly { readonly range: Range; readonly text: string }[];
  /** Needs review: another change is necessary as well, or the value is only a placeholder. */
  readonly asks?: true;
}

export interface Problem extends Place {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly related: readonly Related[];
  readonly fix?: Fix;
  /** Alternative fixes, where the intent is ambiguous. */
  readonly others?: readonly Fix[];
}

export const hasErrors = (problems: readonly Problem[]): boolean =>
  problems.some((problem) => problem.severity === 'error');

/** `advice`: the definition is valid but could be better. */
export type Certainty = 'certain' | 'likely' | 'advice';

const CERTAINTY = { error: 'certain', warning: 'likely', hint: 'advice' } as const;

/** Errors are certain, warnings likely and hints advice, unless the code overrides it. */
export const certaintyOf = ({ severity = 'error', certainty }: Pick<CodeEntry, 'severity' | 'certainty'>): Certainty =>
  certainty ?? CERTAINTY[severity];

/** An entry of the catalogue of codes. `{name}` in `message` is a parameter. */
export interface CodeEntry {
  readonly title: string;
  readonly message: string;
  readonly help: string;
  /** Set for problems found in definitions. */
  readonly severity?: Severity;
  /** How editors draw the location: struck through, or faded because it can be removed. */
  readonly tag?: ProblemTag;
  /** HTTP status; set for faults of a running request. */
  readonly status?: number;
  /** The certainty of a problem, where it differs from that of its severity. */
  readonly certainty?: Certainty;
  /** `all`: reliable only when every plugin is known, so an editor with an unknown plugin omits it. */
  readonly plugins?: 'all';
}

export type Params = Readonly<Record<string, string | number | undefined>>;

/** Fills `{name}` in a catalogue message; an absent parameter becomes the empty string. */
export function fillMessage(template: string, params: Params): string {
  return template
    .replace(/\{([a-zA-Z]+)\}/g, (_, name: string) => String(params[name] ?? ''))
    .replace(/ +/g, ' ')
    .trim();
}
