/** Forms that people invent, as data beside the right ones: the checker answers with the words of whoever owns the place. */

/** What to write instead of an invented key. */
export interface Right {
  /** The end of a sentence: `write ...`. */
  readonly say: string;
  /** The key is another one, and its value may stay. */
  readonly rename?: string;
  /** The field that is meant, where the value has to change too. */
  readonly means?: string;
  /** What stands in place of the member, by its value as text (`*`: any other); nothing: it goes. */
  readonly instead?: Readonly<Record<string, string>>;
}

/** Invented key to what is right. */
export type Mistaken = Readonly<Record<string, string | Right>>;

/** A name, or an accessor without its dollar sign, that stands for nothing. */
export interface Invented {
  /** Regular expression for the whole name; case does not matter. The first group is the id of an actionable. */
  readonly pattern: string;
  /** As in `Right`; `{1}`, `{2}` stand for the groups. */
  readonly say: string;
}
