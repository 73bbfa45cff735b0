/** The option `fts` of text types. Schema only; each store implements the search. */
import { flag } from '../../../contract/combinators.js';

export const search = {
  fts: flag({ doc: 'Adds an index for full-text search (English).', default: false }),
};
