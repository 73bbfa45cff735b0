/** Mode `QUERY`: a database query in the syntax of a plugin. */
import type { ApiPart, ApiPlace, Forms } from '../../../contract/api.js';
import { definePlugin } from '../../../contract/plugin.js';
import { ActionPhase } from '../../../contract/slot.js';
import { ANY, NULL } from '../../../contract/forms.js';
import { shape, text } from '../../../contract/combinators.js';

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
  aliases: ['SQL', 'DB', 'DATABASE', 'SELECT', 'MONGO'],
  since: '0.1.0',
  summary: 'Runs a database query, written as `sql_query`.',
  details: 'Without `result`, no row gives `null`, one row an object, several an array.',
  facts: { touches: 'database' },
  requires: ['query:*'],
  schema: shape({
    result: text({
      doc: 'The shape of the result: `one` is always an object or null, `many` always an array.',
      enumDocs: { one: 'An object, or null when there is no row.', many: 'An array, also when there is one row.' },
    }).oneOf(['one', 'many']),
  }).meta({ doc: 'Query fields.', parts: ['actionable.query'], mistaken: MISTAKEN }),
  openapi: describeApi,
  examples: [
    {
      title: 'A result that is always a list',
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

/** Shapes the rows as requested; repeated statements always return a list. */
function describeApi({ value, repeated }: ApiPlace): ApiPart {
  if (repeated) return { repeatable: true };
  return {
    repeatable: true,
    changes: [
      { phase: ActionPhase.EXECUTE, change: (forms) => forms.flatMap((rows) => listShapes(rows, value['result'])) },
    ],
  };
}

function listShapes(rows: Forms[number], result: unknown): Forms {
  if (rows['type'] !== 'array') return [ANY];
  if (result === 'many') return [rows];
  const { items, minItems = 0, maxItems = Infinity } = rows;
  const row = (items ?? ANY) as Forms[number];
  const [least, most] = [Number(minItems), Number(maxItems)];
  const { minItems: _, ...several } = rows;
  return [
    ...(most >= 1 && (result === 'one' || least <= 1) ? [row] : []),
    ...(least === 0 ? [NULL] : []),
    ...(result !== 'one' && most > 1 ? [{ ...several, minItems: Math.max(2, least) }] : []),
  ];
}
