/** Spec of the document store `embedded`: collections in a SQL connection, the default without a MongoDB server. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape, text } from '../../../contract/combinators.js';
import { dialectErrors } from '../../dialects/shared/errors.light.js';

export default definePlugin({
  kind: 'document-store',
  name: 'embedded',
  since: '0.5.0',
  aliases: ['pglite', 'local', 'mingo', 'file', 'memory'],
  summary:
    'Collections of documents in a SQL connection of the project, with the queries and updates of MongoDB: no server to install.',
  details: [
    'Each collection is a table (`lintel_docs_<collection>`) of a `pglite` or `postgres` connection; what was answered is on disk. The',
    'query language is that of the library `mingo`. Equality, `$in` and `$all` on any path, and the id, are looked up in an index; every',
    'other condition is judged document by document, a few hundred at a time.',
    '',
    'It answers as MongoDB does, except for:',
    '',
    '- `unique`: a list is one value, not one for each of its members; a key has at most about 2,700 bytes. A collection with `unique` or',
    '  `fts` fields takes no NUL character. `indexable` adds nothing: every field has an index for equality.',
    '- `$text` takes the stems and stop words of PostgreSQL, has no `textScore`, and stands at the top of a filter or inside `$and`.',
    '- Geography (`$near`, `$geoWithin`), `$jsonSchema`, collations, change streams, `$out`, `$merge` and scripts are not there.',
    '- `$group` and `$addToSet` take objects with the same fields in another order for equal; `$min` and `$max` of groups order lists otherwise;',
    '  `$push` in a group keeps a missing field as null; text operators answer null for a missing field; `$bitsAllSet` and the like also',
    '  match what is no number.',
    '- A pattern that repeats what repeats already (`(a+)+`) is refused in filters: it may never end.',
    '- Every number is a double; there are no types of `bson` beside `ObjectId` and dates.',
    '- Collections that `$lookup`, `$graphLookup` and `$unionWith` name are read as a whole, as is what a pipeline begins with; what an update or',
    '  a removal of many changes is held in memory.',
    '',
    'A transaction is one of the SQL connection. The embedded database does one thing at a time: while one is open, everybody waits.',
  ].join('\n'),
  facts: { embedded: true },
  requires: ['dialect:*'],
  schema: shape({
    connection: text({
      doc: 'The SQL connection of the config that holds the documents: a `pglite` or a `postgres`.',
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
    { title: 'As it is', json: { use: 'embedded' } },
    { title: 'In a named connection', json: { use: 'embedded', connection: 'main' } },
  ],
  counterExamples: [
    {
      title: 'A connection is named by text',
      json: { use: 'embedded', connection: 1 },
      code: 'DEF_TYPE',
      at: '/connection',
    },
  ],
});
