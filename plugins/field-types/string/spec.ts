/** Spec of `String`. */
import { definePlugin } from '../../../contract/plugin.js';
import { flag, numeric, shape } from '../../../contract/combinators.js';
import { BLIND_KEY, BLIND_KEY_BYTES } from '../../shared/blind-key.light.js';
import { search } from '../shared/search.light.js';

export default definePlugin({
  kind: 'field-type',
  name: 'String',
  aliases: ['TEXT', 'VARCHAR', 'CHAR', 'UUID', 'STR', 'EMAIL', 'Enum'],
  since: '0.1.0',
  summary: 'Text. The database enforces `max_length` too.',
  facts: { column: 'text', keyVariable: BLIND_KEY },
  schema: shape({
    ...search,
    max_length: numeric({ doc: 'Maximum number of characters in the column.', examples: [255] })
      .integer()
      .min(1),
    blind_index: flag({
      doc:
        'For a field that `ciphers` encrypts: stores a keyed digest with it (extension), so that it can be unique and be found by `=`. ' +
        'Its key is the variable `BLIND_INDEX_KEY`.',
      default: false,
    }),
  }),
  check: ({ value, env, isSet }) => {
    if (value['blind_index'] !== true) return [];
    const fact = env(BLIND_KEY);
    const isShort = fact?.hasBytes(BLIND_KEY_BYTES) === false;
    const short = isShort ? `has ${fact?.bytes} bytes and needs at least ${BLIND_KEY_BYTES}` : null;
    const what = isSet(BLIND_KEY) ? short : 'is not set';
    return what === null ? [] : [{ code: 'BLD_KEY', at: '/blind_index', params: { name: BLIND_KEY, what } }];
  },
  errors: {
    BLD_KEY: {
      severity: 'error',
      title: 'Key of blind indexes',
      message: 'The variable `{name}` {what}: blind indexes are made with it.',
      help: 'Set it to a random text, the same for all processes: `openssl rand -hex 32`. Rows that were indexed under another key are not found.',
    },
  },
  examples: [
    { title: 'A unique address', json: { type: 'String', max_length: 255, unique: true } },
    { title: 'A searchable text', json: { type: 'String', fts: true } },
  ],
  counterExamples: [
    {
      title: 'An option of numbers',
      json: { type: 'String', auto_increment: true },
      code: 'DEF_UNKNOWN_KEY',
      at: '/auto_increment',
    },
  ],
});
