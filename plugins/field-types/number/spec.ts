/** Spec of `Number`. */
import { definePlugin } from '../../../contract/plugin.js';
import { flag, shape } from '../../../contract/combinators.js';

export default definePlugin({
  kind: 'field-type',
  name: 'Number',
  aliases: ['INTEGER', 'INT', 'BIGINT', 'SERIAL', 'LONG', 'SMALLINT'],
  since: '0.1.0',
  summary: 'A whole number, stored in 64 bits and returned as a JSON number.',
  facts: { column: 'integer' },
  schema: shape({
    auto_increment: flag({
      doc: 'The database assigns the next number, so an INSERT may leave the field out.',
      default: false,
    }),
  }),
  examples: [
    { title: 'A key that the database numbers', json: { type: 'Number', primary_key: true, auto_increment: true } },
  ],
  counterExamples: [
    {
      title: 'Text instead of true or false',
      json: { type: 'Number', auto_increment: 'yes' },
      code: 'DEF_TYPE',
      at: '/auto_increment',
    },
  ],
});
