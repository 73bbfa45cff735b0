/** Common wrong forms and their corrections, for messages of the checker. */

export interface Correction {
  /** The end of the sentence `write ...`. */
  readonly say: string;
  /** The correct key, for the same value. */
  readonly rename?: string;
  /** The intended field, where the value must change too. */
  readonly means?: string;
  /** Replacement of the member, by its value as text (`*`: any other); empty removes it. */
  readonly instead?: Readonly<Record<string, string>>;
}

/** By wrong key. */
export type CommonMistakes = Readonly<Record<string, string | Correction>>;

/** A wrong name, or a wrong accessor without its dollar sign. */
export interface InventedPattern {
  /** Case-insensitive, for the whole name. The first group is the id of an actionable. */
  readonly pattern: string;
  /** As in `Correction`; `{1}`, `{2}` insert the groups. */
  readonly say: string;
}
