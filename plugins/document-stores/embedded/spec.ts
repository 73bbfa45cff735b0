/** Collections in a SQL connection, the default without a MongoDB server. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape, text } from '../../../contract/combinators.js';
import { dialectErrors } from '../../dialects/shared/errors.light.js';

export default definePlugin({
  kind: 'document-store',
  name: 'embedded',
  since: '0.5.0',
  packages: ['mingo'],
  aliases: ['pglite', 'local', 'mingo', 'file', 'memory'],
  summary:
    'Stores documents in a SQL connection of the project, with the queries and updates of MongoDB: no server to install.',
  details: [
    'Each collection is a table (`lintel_docs_<collection>`) of a `pglite` or `postgres` connection. A response is',
    'sent after the data is on disk. The query language is that of the library `mingo`. Equality, `$in` and `$all` on',
    'any path use an index, as do ranges of `_id` and, with a `limit`, a sort by it; every other condition is checked',
    'document by document, a few hundred at a time. Ids that are objects, null, longer than 79 characters or not',
    'printable ASCII are in no order: such a list reads all of these ids too.',
    '',
    'It behaves like MongoDB, except for:',
    '',
    '- `unique`: a list is one value, not one for each of its members; a key has at most about 2,700 bytes. A',
    '  collection with `unique` or `fts` fields accepts no NUL character. `indexable` has no effect: every field has',
    '  an index for equality.',
    '- `$text` uses the stems and stop words of PostgreSQL, has no `textScore`, and is allowed only at the top of a',
    '  filter or inside `$and`.',
    '- Geography (`$near`, `$geoWithin`), `$jsonSchema`, collations, change streams, `$out`, `$merge` and scripts',
    '  are not supported.',
    '- `$group` and `$addToSet` treat objects with the same fields in another order as equal; `$min` and `$max` of',
    '  groups order lists differently; `$push` in a group keeps a missing field as null; text operators return null',
    '  for a missing field; `$bitsAllSet` and similar operators also match values that are not numbers.',
    '- A regular expression with nested repetition (`(a+)+`) is rejected in filters, because it may not end.',
    '- Every number is a double; of the types of `bson`, only `ObjectId` and dates exist.',
    '- Collections in `$lookup`, `$graphLookup` and `$unionWith` are read as a whole, as is the collection of a',
    '  pipeline; an update or a removal of many documents holds them in memory.',
    '',
    'A transaction is one of the SQL connection. The embedded database runs one transaction at a time; all other',
    'requests wait.',
  ].join('\n'),
  facts: { embedded: true },
  requires: ['dialect:*'],
  schema: shape({
    connection: text({
      doc: 'The SQL connection of the config that stores the documents: a `pglite` or a `postgres`.',
      complete: { source: 'connection', of: 'dialect' },
      default: 'main',
      examples: ['documents'],
    }).min(1),
  }),
  errors: {
    ...dialectErrors,
    DOC_CONNECTION: {
      title: 'No such connection',
      message: 'The document store {instance} uses the SQL connection {connection}, which is not in the config.',
      help: 'Add the connection to `connections`, or name an existing one: `"documents": { "main": { "use": "embedded", "connection": "main" } }`.',
      status: 500,
    },
    DOC_NOT_POSTGRESQL: {
      title: 'Connection of another kind',
      message:
        'The document store {instance} needs a connection that is `pglite` or `postgres`, but {connection} is not.',
      help: 'Add one for the documents, `"connections": { "documents": { "use": "pglite" } }`, and name it: `"documents": { "main": { "use": "embedded", "connection": "documents" } }`. Or use a MongoDB server.',
      status: 500,
    },
  },
  examples: [
    { title: 'With its defaults', json: { use: 'embedded' } },
    { title: 'In a named connection', json: { use: 'embedded', connection: 'main' } },
  ],
  counterExamples: [
    {
      title: 'A connection that is not text',
      json: { use: 'embedded', connection: 1 },
      code: 'DEF_TYPE',
      at: '/connection',
    },
  ],
});
