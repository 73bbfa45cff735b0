/**
 * What the front end says about a definition: data only. The same rows feed `lintel check`, the boot log and editors,
 * so nothing here knows how a problem is shown.
 */
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

/** The textual replacement that would mend the problem. */
export interface Fix extends Place {
  readonly title: string;
  readonly text: string;
  /** Further replacements in the same file that belong to it; none of them touches another. */
  readonly more?: readonly { readonly range: Range; readonly text: string }[];
  /** Somebody has to look at it: something else has to be done as well, or the value is only one to start from. */
  readonly asks?: true;
}

export interface Problem extends Place {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly related: readonly Related[];
  readonly fix?: Fix;
  /** Other changes, where it is a question what is meant. */
  readonly others?: readonly Fix[];
}

export const hasErrors = (problems: readonly Problem[]): boolean =>
  problems.some((problem) => problem.severity === 'error');

/** `advice`: nothing is wrong, and something would be better. */
export type Certainty = 'certain' | 'likely' | 'advice';

const CERTAINTY = { error: 'certain', warning: 'likely', hint: 'advice' } as const;

/** Errors are certain, warnings likely and hints advice, unless the code says otherwise. */
export const certaintyOf = ({ severity = 'error', certainty }: Pick<CodeEntry, 'severity' | 'certainty'>): Certainty =>
  certainty ?? CERTAINTY[severity];

/** One row of the catalogue of codes. `{name}` in `message` stands for a parameter. */
export interface CodeEntry {
  readonly title: string;
  readonly message: string;
  readonly help: string;
  /** Set for problems found in definitions. */
  readonly severity?: Severity;
  /** How editors draw the place: struck through, or faded because it can go without a loss. */
  readonly tag?: ProblemTag;
  /** Set for faults of a running request: the HTTP status. */
  readonly status?: number;
  /** How sure a problem of definitions is, where its severity does not say it. */
  readonly certainty?: Certainty;
  /** `all`: true only when every plugin is known; an editor that does not know one says nothing. */
  readonly plugins?: 'all';
}

export type Params = Readonly<Record<string, string | number | undefined>>;

/** Fills `{name}` in a catalogue message; a parameter that is absent becomes nothing. */
export function fillMessage(template: string, params: Params): string {
  return template
    .replace(/\{([a-zA-Z]+)\}/g, (_, name: string) => String(params[name] ?? ''))
    .replace(/ +/g, ' ')
    .trim();
}
