/** The option `fts`, for the types that hold words. Schema alone: a store decides how it finds words. */
import { flag } from '../../kernel/schema/combinators.js';

export const search = {
  fts: flag({ doc: 'Adds an index for full-text search (English).', default: false }),
};
