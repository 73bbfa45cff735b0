/** Spec of the dialect `pglite`: PostgreSQL inside the process, the default when no DATABASE_URL is set. */
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { shape, value } from '../../../contract/combinators.js';
import { resultFields } from '../shared/connection-fields.light.js';
import { dialectErrors, dialectRejections } from '../shared/errors.light.js';

export default definePlugin({
  kind: 'dialect',
  name: 'pglite',
  since: '0.1.0',
  packages: ['@electric-sql/pglite'],
  summary: 'PostgreSQL embedded in the process: nothing to install; the data is in a folder.',
  details: [
    'For development, tests and small installations. It uses the SQL of PostgreSQL and returns the same results as',
    'the dialect `postgres`, so a move to a server changes only the connection.',
    '',
    '- It runs one statement at a time: while a transaction is open, all other statements wait.',
    '- It has **no timeout for statements**: one that does not end blocks the process. Use `postgres` where that',
    '  matters.',
    '- The engine adds about 70 MB of memory, and takes one to three seconds to start with a new folder.',
    '- Only one process can use a folder; a lock file next to the folder ensures it.',
    '- With `memory://`, all data is lost when the process ends.',
  ].join('\n'),
  facts: { returning: true, syntax: 'postgresql', embedded: true, scratch: true },
  schema: shape({
    path: value(string().required(), {
      doc: 'Folder of the data, relative to the config file, or `memory://`.',
      path: 'folder',
      default: '.lintel/data',
      examples: ['.lintel/data', 'memory://', '$ENV.DATA_FOLDER'],
      roots: ['ENV'],
    }),
    ...resultFields,
  }),
  openapi: () => ({ refuses: dialectRejections }),
  errors: dialectErrors,
  examples: [
    { title: 'The default folder', json: { use: 'pglite' } },
    { title: 'In memory', json: { use: 'pglite', path: 'memory://' } },
  ],
  counterExamples: [
    { title: 'A path that is not text', json: { use: 'pglite', path: 5 }, code: 'DEF_TYPE', at: '/path' },
  ],
});
