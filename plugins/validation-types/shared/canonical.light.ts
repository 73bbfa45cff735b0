/** Canonical forms of text values: the rule field, and the names of the forms. */
import { either, list, text } from '../../../contract/combinators.js';
import type { Json } from '../../../contract/json.js';

export const FORMS = ['trim', 'nfc', 'lower', 'email'] as const;
export type CanonicalForm = (typeof FORMS)[number];

const createFormField = (doc: string) => text({ doc, examples: ['email'] }).oneOf(FORMS);

const DOC =
  'The form in which values are checked, searched and stored (extension). `trim`: without blanks around it; ' +
  '`nfc`: Unicode NFC; `lower`: small letters; `email`: all three, letters of another width and ligatures as plain ones, the domain in ' +
  'ASCII and without a dot at its end. One of them, or a list.';

export const canonicalField = either(
  [createFormField(DOC), list(createFormField(DOC).required(), { doc: DOC }).min(1).max(FORMS.length)],
  {
    doc: DOC,
    examples: ['email', ['trim', 'lower']],
    form: '"email"',
  },
);

/** The forms of a rule without duplicates, in order; empty where it has none. */
export function listForms(written: Json | undefined): readonly CanonicalForm[] {
  const asked: readonly unknown[] = Array.isArray(written) ? written : [written];
  return FORMS.filter((one) => asked.includes(one));
}
