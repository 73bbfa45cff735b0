/** Rule fields shared by several validation types. */
import { canonicalField } from './canonical.light.js';
import { flag, numeric, record, shape, slot } from '../../../contract/combinators.js';

export const lengthBounds = shape({
  canonical: canonicalField,
  min_length: numeric({ doc: 'Minimum number of characters.', examples: [1] })
    .integer()
    .min(0),
  max_length: numeric({ doc: 'Maximum number of characters.', examples: [255] })
    .integer()
    .min(0),
});

export const nestedFields = record(
  slot(['payload_validation.type'], { doc: 'The type of the field and its bounds.' }),
  {
    doc: 'Field names and their types; fields may be nested to any depth.',
    examples: [{ city: { type: 'STRING' } }],
  },
);

export const closed = flag({ doc: 'Rejects fields that are not in `fields` (extension).', default: false });

export const listBounds = {
  arr_length: numeric({ doc: 'Maximum number of items.', examples: [4] })
    .integer()
    .min(0),
  arr_min_length: numeric({ doc: 'Minimum number of items (extension).', examples: [1] })
    .integer()
    .min(0),
};
