/** Spec of `transaction`: excludes a resource from the transaction that consecutive queries share. */
import { flag, shape } from '../../../contract/combinators.js';
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'feature',
  name: 'transaction',
  since: '0.2.0',
  summary: 'Neighbouring queries are one transaction; `false` lets each stand for itself.',
  facts: { applies: 'when-present' },
  slots: {
    resource: shape({
      transaction: flag({
        doc: '`false`: every query commits by itself, and what ran before an error stays.',
        default: true,
      }),
    }),
  },
  transactionEffect: ({ value }) => (value['transaction'] === false ? 'alone' : null),
  examples: [{ title: 'Each query by itself', json: { transaction: false } }],
  counterExamples: [{ title: 'A switch', json: { transaction: 'none' }, code: 'DEF_TYPE', at: '/transaction' }],
});
