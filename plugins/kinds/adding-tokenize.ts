/** The settings that a guard of tokens needs beside it, as something to start from: which key it is, somebody has to say. Data only. */
import type { Finding } from '../../kernel/contract/plugin.js';

export const addingTokenize: Pick<Finding, 'fix'> = {
  fix: {
    title: 'add "tokenize"',
    edits: [{ at: '/tokenize', put: { type: 'JWT', encryption_key: '$ENV.JWT_SECRET_KEY' } }],
    asks: true,
  },
};
