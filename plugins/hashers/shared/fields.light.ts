/** Fields shared by specs about hashing. Schemas only. */
import { text, value } from '../../../contract/combinators.js';

export const salt = value(text({ doc: 'Text that is mixed into the salt.' }), {
  doc: 'Text that is mixed into the random salt of each hash. Equal passwords still have different hashes, and verifying needs only the hash.',
  roots: ['ENV'],
  secret: true,
  examples: ['$ENV.HASH_SALT'],
});

/** Its value is secret and returned only where `returnables` lists it. */
const propertyField = (doc: string, named: boolean) =>
  text({
    doc,
    declares: 'secret',
    refers: { symbol: 'payload-field', ...(named && { named: true }) },
    examples: ['password'],
  })
    .required()
    .matches(/^[^.]+(\.[^.]+)*$/);

export const property = propertyField('The payload field; dotted paths work.', false);
/** Protects payload fields and named values. */
export const protectedProperty = propertyField(
  'The value: a payload field, or a name that an actionable defines; dotted paths work.',
  true,
);
