/** Fields that specs about hashing have in common. Schema alone. */
import { text, value } from '../../kernel/schema/combinators.js';

/** An option of every algorithm. */
export const salt = value(text({ doc: 'Text that is mixed into the salt.' }), {
  doc: 'Text that is mixed into the random salt of each hash. Equal passwords still hash differently, and nothing but the hash is needed to verify.',
  roots: ['ENV'],
  secret: true,
  examples: ['$ENV.HASH_SALT'],
});

/** The payload field that an entry is about; what it holds never leaves unless it is named. */
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
/** Protected wherever it comes from. */
export const protectedProperty = propertyField(
  'The value: a payload field, or a name that an actionable gives; dotted paths work.',
  true,
);
