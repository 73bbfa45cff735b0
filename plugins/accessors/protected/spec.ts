/** Spec of `$PROTECTED`: a claim of the verified token. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'accessor',
  name: 'PROTECTED',
  since: '0.2.0',
  summary: 'A claim of the verified token: `$PROTECTED.id`. Only where `protected` lists it in `extract_claims`.',
  details:
    'Use claims to decide what a caller may access, never an identifier that the caller sends. A token without the ' +
    'claim is rejected with 403.',
  facts: {
    tail: 'declared:claim',
    secret: false,
    reads: 'claims',
    aliases: ['USER', 'AUTH', 'TOKEN', 'CLAIM', 'CLAIMS', 'JWT', 'SESSION', 'CURRENT_USER'],
  },
  examples: [{ title: 'The user', json: '$PROTECTED.id' }],
  counterExamples: [
    { title: 'No claim named', json: '$PROTECTED', code: 'ACC_TAIL', at: '' },
    { title: 'A claim that is not extracted', json: '$PROTECTED.role', code: 'ACC_UNDECLARED', at: '' },
  ],
});
