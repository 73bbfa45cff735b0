/** Spec of `transaction`: excludes a resource from the transaction that consecutive queries share. */
import { flag, shape } from '../../../contract/combinators.js';
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'feature',
  name: 'transaction',
  since: '0.2.0',
  summary: 'Adjacent queries run in one transaction. `false` turns this off for the resource.',
  facts: { applies: 'when-present' },
  openapi: () => ({ repeatable: true }),
  slots: {
    resource: shape({
      transaction: flag({
        doc: '`false`: every query commits on its own, and what ran before an error is not rolled back.',
        default: true,
      }),
    }),
  },
  transactionEffect: ({ value }) => (value['transaction'] === false ? 'alone' : null),
  examples: [{ title: 'Each query on its own', json: { transaction: false } }],
  counterExamples: [
    { title: 'Text instead of true or false', json: { transaction: 'none' }, code: 'DEF_TYPE', at: '/transaction' },
  ],
});
