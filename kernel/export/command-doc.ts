/** How a command of the command line is described, for help texts and for the reference. Types only. */
export interface OptionDoc {
  readonly name: string;
  /** What stands behind it; absent for a switch. */
  readonly value?: string;
  readonly doc: string;
}

export interface CommandDoc {
  /** Name and arguments. */
  readonly usage: string;
  /** Half a sentence, for the list of commands. */
  readonly summary: string;
  /** Markdown. */
  readonly details: string;
  readonly options: readonly OptionDoc[];
  readonly examples: readonly string[];
  readonly exits: readonly { readonly code: number; readonly doc: string }[];
}
