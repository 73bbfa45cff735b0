/** Spec of the dialect `mysql`: a MySQL or MariaDB server. */
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { shape, value } from '../../../contract/combinators.js';
import { connectionFields, REJECTED_OR_STREAMED, serverFields } from '../shared/connection-fields.light.js';
import { dialectErrors, dialectRejections } from '../shared/errors.light.js';
import { RESERVED } from './reserved.light.js';

export default definePlugin({
  kind: 'dialect',
  name: 'mysql',
  aliases: ['mariadb'],
  since: '0.5.0',
  packages: ['mysql2'],
  summary: 'MySQL 8.0.22 or later and MariaDB 10.6 or later, with the driver `mysql2`.',
  details: [
    'Definitions are written in the SQL of PostgreSQL and translated when they are loaded: `$1`, casts, `->>`,',
    '`RETURNING`, `ON CONFLICT`, `= ANY($1)`, `ILIKE`, `FILTER`, `interval`, `now()`. A statement without an exact',
    'counterpart is rejected at the start (`QRY_NOT_TRANSLATED`) with a message that says what to write. Functions of',
    'MySQL can be used directly.',
    '',
    'Every value is bound, never written into the SQL, with the type of the column that it is stored in or compared',
    'with: text that is not a number is rejected for a number, and `0` equals no word. The same applies to sums,',
    'casts and known functions (`length`, `lower`, `coalesce` and others). Otherwise, add a cast to the parameter',
    '(`$1::int`). Sessions use UTC, strict modes, ANSI quotes and `||` as concatenation.',
    '',
    'If MySQL has no `RETURNING` for a statement, rows are locked, changed and read by their primary key in one',
    'transaction. On MySQL, an INSERT into a table without a key returns nothing, and an UPDATE of the key itself',
    'cannot return rows. If the models show that the rows could not be found again, `RETURNING` is rejected at the',
    'start.',
    '',
    'Differences from PostgreSQL:',
    '',
    '- no arrays (a list is JSON), no `infinity`, no years BC; an interval has one unit; casts go to text, varchar,',
    '  int, bigint, numeric, float8, boolean, jsonb, uuid, date, time and timestamptz',
    '- `ON CONFLICT` applies to all unique keys, not only to the named one; `DO UPDATE ... WHERE` is rejected',
    '- no writes inside WITH, no `UPDATE ... FROM`, no `DELETE ... USING`, no `DISTINCT ON`, no `IS DISTINCT FROM`',
    '- `/` of whole numbers returns a fraction, and a division by zero is NULL; a cast of a number to `int` has 64',
    '  bits',
    '- in a SET list, each assignment sees the values of those before it; `now()` is the time of the statement',
    '- `LIKE` has no escape character unless `ESCAPE` names one',
    '- a time as text has six digits of a second; on MariaDB, text that is not JSON becomes NULL in a cast',
    '- a word search (`to_tsvector(...) @@ plainto_tsquery(...)`) finds rows with all words as they are written, of',
    '  three letters or more: there is no stemming. It needs a FULLTEXT index on the column, and ignores case only if',
    '  the collation of the column does, as for a field with `fts`',
    '- text is compared exactly in tables that Lintel created; other tables use their own collation',
    '- a statement that defines tables ends the transaction',
  ].join('\n'),
  facts: { schemes: ['mysql', 'mariadb'], returning: true, syntax: 'mysql', reserved: RESERVED, embedded: false },
  schema: shape({
    url: value(string().required(), {
      doc: 'Address of the server and the database. Keep it in the environment: it holds the password.',
      examples: ['$ENV.MYSQL_URL'],
      roots: ['ENV'],
      secret: true,
    }).required(),
    ...connectionFields({ results: REJECTED_OR_STREAMED }),
    ...serverFields,
  }),
  openapi: () => ({ refuses: dialectRejections }),
  errors: {
    ...dialectErrors,
    QRY_NOT_TRANSLATED: {
      status: 500,
      title: 'Not for this database',
      message: '{what} has no counterpart on MySQL: write {instead}.',
      help: 'Definitions are written in the SQL of PostgreSQL and translated when they are loaded. What has no exact counterpart is rejected.',
    },
  },
  examples: [
    { title: 'Address from the environment', json: { use: 'mysql', url: '$ENV.MYSQL_URL' } },
    {
      title: 'A larger pool and a short deadline',
      json: { use: 'mysql', url: '$ENV.MYSQL_URL', pool_size: 20, statement_timeout: 5 },
    },
  ],
  counterExamples: [
    {
      title: 'A number as text',
      json: { use: 'mysql', url: '$ENV.MYSQL_URL', pool_size: 'ten' },
      code: 'DEF_TYPE',
      at: '/pool_size',
    },
    { title: 'No address', json: { use: 'mysql' }, code: 'DEF_REQUIRED', at: '' },
  ],
});
