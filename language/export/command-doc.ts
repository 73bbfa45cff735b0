/** Types that describe a CLI command, for help texts and the reference. */
export interface OptionDoc {
  readonly name: string;
  /** Placeholder of the option's value; absent for a flag. */
  readonly value?: string;
  readonly doc: string;
}

export interface CommandDoc {
  readonly usage: string;
  /** A phrase for the list of commands. */
  readonly summary: string;
  /** Markdown. */
  readonly details: string;
  readonly options: readonly OptionDoc[];
  readonly examples: readonly string[];
  readonly exits: readonly { readonly code: number; readonly doc: string }[];
}
