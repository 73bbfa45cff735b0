/** Common wrong forms and their corrections, which the checker uses in its messages. */

/** The correction of a wrong key. */
export interface Right {
  /** The end of the sentence `write ...`. */
  readonly say: string;
  /** The correct key; the value may remain. */
  readonly rename?: string;
  /** The intended field, where the value must change too. */
  readonly means?: string;
  /** Replacement of the whole member by its value as text (`*`: any other value); without a match the member is removed. */
  readonly instead?: Readonly<Record<string, string>>;
}

/** From wrong key to correction. */
export type Mistaken = Readonly<Record<string, string | Right>>;

/** A wrong name, or a wrong accessor without its dollar sign. */
export interface Invented {
  /** Case-insensitive regular expression for the whole name. The first group is the id of an actionable. */
  readonly pattern: string;
  /** As in `Right`; `{1}`, `{2}` insert the groups. */
  readonly say: string;
}
