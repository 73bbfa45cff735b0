/** Fields that several validation types share. */
import { numeric, shape } from '../../kernel/schema/combinators.js';

export const lengthBounds = shape({
  min_length: numeric({ doc: 'Fewest characters allowed.', examples: [1] })
    .integer()
    .min(0),
  max_length: numeric({ doc: 'Most characters allowed.', examples: [255] })
    .integer()
    .min(0),
});
