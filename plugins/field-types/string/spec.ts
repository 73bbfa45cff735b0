/** `String`: a type of model fields. */
import { definePlugin } from '../../../kernel/contract/plugin.js';
import { numeric, shape } from '../../../kernel/schema/combinators.js';
import { search } from '../../kinds/search.js';

export default definePlugin({
  kind: 'field-type',
  name: 'String',
  since: '0.1.0',
  summary: 'Text; `max_length` bounds it in the database too.',
  facts: { column: 'text' },
  schema: shape({
    ...search,
    max_length: numeric({ doc: 'Most characters that the column takes.', examples: [255] })
      .integer()
      .min(1),
  }),
  examples: [
    { title: 'A unique address', json: { type: 'String', max_length: 255, unique: true } },
    { title: 'A text to be searched', json: { type: 'String', fts: true } },
  ],
  counterExamples: [
    {
      title: 'Only numbers are counted',
      json: { type: 'String', auto_increment: true },
      code: 'DEF_UNKNOWN_KEY',
      at: '/auto_increment',
    },
  ],
});
