/** Mode `QUERY`: a database query. How it is written is the business of a query language plugin. */
import { definePlugin } from '../../../kernel/contract/plugin.js';
import { shape, text } from '../../../kernel/schema/combinators.js';

const STATEMENT = 'a statement is written `"sql_query": {"query": "SELECT ...", "parameters": []}`';
const MISTAKEN = {
  sql: STATEMENT,
  statement: STATEMENT,
  params: STATEMENT,
  values: STATEMENT,
  args: STATEMENT,
  table: STATEMENT,
  database: STATEMENT,
};

export default definePlugin({
  kind: 'mode',
  name: 'QUERY',
  since: '0.1.0',
  summary: 'Runs a database query, written as `sql_query`.',
  details: 'Without `result`, no row gives `null`, one row an object, several an array.',
  facts: { touches: 'database' },
  requires: ['query:*'],
  schema: shape({
    result: text({
      doc: 'Fixes the shape of the result: `one` is always an object or null, `many` always an array.',
      enumDocs: { one: 'An object, or null when there is no row.', many: 'An array, also when there is one row.' },
    }).oneOf(['one', 'many']),
  }).meta({ doc: 'Query fields.', parts: ['actionable.query'], mistaken: MISTAKEN }),
  examples: [
    {
      title: 'A list',
      json: { mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT 1 AS one', parameters: [] } },
    },
  ],
  counterExamples: [
    { title: 'No query', json: { mode: 'QUERY' }, code: 'DEF_CHOICE_MISSING', at: '' },
    {
      title: 'Unknown shape',
      json: { mode: 'QUERY', result: 'all', sql_query: { query: 'SELECT 1', parameters: [] } },
      code: 'DEF_VALUE',
      at: '/result',
    },
  ],
});
