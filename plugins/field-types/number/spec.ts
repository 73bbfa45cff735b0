/** Spec of `Number`. */
import { definePlugin } from '../../../contract/plugin.js';
import { flag, shape } from '../../../contract/combinators.js';

export default definePlugin({
  kind: 'field-type',
  name: 'Number',
  aliases: ['INTEGER', 'INT', 'BIGINT', 'SERIAL', 'LONG', 'SMALLINT'],
  since: '0.1.0',
  summary: 'A whole number, kept in 64 bits and answered as a JSON number.',
  facts: { column: 'integer' },
  schema: shape({
    auto_increment: flag({ doc: 'The database counts; the field may be left out of an INSERT.', default: false }),
  }),
  examples: [{ title: 'A counted key', json: { type: 'Number', primary_key: true, auto_increment: true } }],
  counterExamples: [
    {
      title: 'A switch is true or false',
      json: { type: 'Number', auto_increment: 'yes' },
      code: 'DEF_TYPE',
      at: '/auto_increment',
    },
  ],
});
