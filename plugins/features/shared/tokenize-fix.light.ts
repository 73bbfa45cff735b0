/** Adds `tokenize` next to a token guard; needs review, because the user chooses the key. */
import type { Finding } from '../../../contract/plugin.js';

export const addTokenizeFix: Pick<Finding, 'fix'> = {
  fix: {
    title: 'add "tokenize"',
    edits: [{ at: '/tokenize', put: { type: 'JWT', encryption_key: '$ENV.JWT_SECRET_KEY' } }],
    asks: true,
  },
};
