/** Spec of the dialect `mysql`: a MySQL or MariaDB server. */
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { shape, text, value } from '../../../contract/combinators.js';
import { connectionFields } from '../shared/connection-fields.light.js';
import { dialectErrors, dialectRefusals } from '../shared/errors.light.js';
import { RESERVED } from './reserved.light.js';

export default definePlugin({
  kind: 'dialect',
  name: 'mysql',
  aliases: ['mariadb'],
  since: '0.5.0',
  summary: 'MySQL 8.0.22 or later and MariaDB 10.6 or later, through the driver `mysql2`.',
  details: [
    'Definitions are written in the SQL of PostgreSQL and translated when they are loaded, word by word: `$1`, casts, `->>`,',
    '`RETURNING`, `ON CONFLICT`, `= ANY($1)`, `ILIKE`, `FILTER`, `interval`, `now()`. What has no certain counterpart is',
    'refused at the start (`QRY_NOT_TRANSLATED`) with words for what to write; functions of MySQL may be used as they are.',
    '',
    'Every value is bound, never written into the text, with the type of the column it goes to or is compared with: text',
    'that is no number is refused where a number is meant, and `0` equals no word. The same holds against',
    'sums, casts and the functions that are known (`length`, `lower`, `coalesce` and others); against any other cast the',
    'parameter (`$1::int`). Sessions run in UTC with strict modes, ANSI quotes and `||` as concatenation.',
    '',
    'Where MySQL has no `RETURNING`, rows are locked, changed and read by their primary key in one transaction. An INSERT',
    'into a table without any key answers with nothing on MySQL; an UPDATE of the key itself cannot answer with rows. Where',
    'the models tell that rows could not be found again, `RETURNING` is refused at the start.',
    '',
    'What is otherwise than on PostgreSQL:',
    '',
    '- no arrays (a list is JSON), no `infinity`, no years before our era, an interval has one unit; casts go to text,',
    '  varchar, int, bigint, numeric, float8, boolean, jsonb, uuid, date, time and timestamptz',
    '- `ON CONFLICT` asks all unique keys, not only the one that is named; `DO UPDATE ... WHERE` is refused',
    '- no writes inside WITH, no `UPDATE ... FROM`, no `DELETE ... USING`, no `DISTINCT ON`, no `IS DISTINCT FROM`',
    '- `/` of whole numbers gives a fraction, and a division by zero is NULL; a cast of a number to `int` has 64 bits',
    '- of a SET list each assignment sees those before it; `now()` is the instant of the statement',
    '- `LIKE` has no escape character unless `ESCAPE` names one',
    '- a time as text has six digits of a second; on MariaDB text that is no JSON becomes NULL in a cast',
    '- a word search (`to_tsvector(...) @@ plainto_tsquery(...)`) wants all words as they are written, of three letters or',
    '  more: there are no word stems. It needs a FULLTEXT index on the column, and finds words in upper and lower case',
    '  alike only where the collation of the column does, as that of a field with `fts` does',
    '- text is compared exactly in tables that this product made; other tables follow their own collation',
    '- a statement that defines tables ends the transaction it is in',
  ].join('\n'),
  facts: { returning: true, syntax: 'mysql', reserved: RESERVED, embedded: false },
  schema: shape({
    url: value(string().required(), {
      doc: 'Address of the server and the database. Keep it in the environment: it holds the password.',
      examples: ['$ENV.MYSQL_URL'],
      roots: ['ENV'],
      secret: true,
    }).required(),
    ...connectionFields(),
    isolation: text({
      doc:
        'Isolation of transactions. `auto` takes for each what keeps requests from interfering, decided at load: locks in ' +
        '`read committed`, `repeatable read` for several reads, `serializable` for the rest; `lintel plan` tells which.',
      default: 'auto',
      examples: ['serializable'],
    }).oneOf(['auto', 'read committed', 'repeatable read', 'serializable']),
  }),
  openapi: () => ({ refuses: dialectRefusals }),
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
      title: 'Numbers are written as numbers',
      json: { use: 'mysql', url: '$ENV.MYSQL_URL', pool_size: 'ten' },
      code: 'DEF_TYPE',
      at: '/pool_size',
    },
    { title: 'The address is needed', json: { use: 'mysql' }, code: 'DEF_REQUIRED', at: '' },
  ],
});
