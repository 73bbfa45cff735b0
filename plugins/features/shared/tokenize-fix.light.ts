/** Fix that adds `tokenize` next to a token guard; needs review, because the user must choose the key. Data only. */
import type { Finding } from '../../../contract/plugin.js';

export const addingTokenize: Pick<Finding, 'fix'> = {
  fix: {
    title: 'add "tokenize"',
    edits: [{ at: '/tokenize', put: { type: 'JWT', encryption_key: '$ENV.JWT_SECRET_KEY' } }],
    asks: true,
  },
};
