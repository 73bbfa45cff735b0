/** How the object around the name of a collection writes and compares fields. A spec declares it (`documents` of the field). */
export interface DocumentForm {
  /** Member with the written values, by action. */
  readonly written: Readonly<Record<string, string>>;
  /** Action with fields as parameters where it has no such member. */
  readonly bare: string;
  /** Member that compares fields. */
  readonly condition: string;
  /** Member with a list of stages. */
  readonly stages: string;
  /** Stage that compares fields. */
  readonly match: string;
  /** Stages that pass documents on unchanged. */
  readonly keeping: readonly string[];
  /** Those of `keeping` with fields or operators as keys. */
  readonly plain: readonly string[];
  /** Stages with new fields as keys. */
  readonly shaping: readonly string[];
  /** Stages that read another collection, with the key of its name. */
  readonly joining: Readonly<Record<string, string>>;
  /** Operators of a value of the field, or of conditions. */
  readonly operators: readonly string[];
  /** Operators of a list of values of the field. */
  readonly listOperators: readonly string[];
}
