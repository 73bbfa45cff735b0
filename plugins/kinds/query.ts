/** Kind `query`: a way to write a database query in an actionable of mode `QUERY`, chosen by its key. */
import type { Json } from '../../kernel/contract/json.js';
import type { Mistaken } from '../../kernel/contract/mistaken.js';
import { defineKind } from '../../kernel/contract/kind.js';
import type { Frame, ModePlan, PlanTools } from '../../kernel/contract/plan.js';
import type { Rendered } from '../../kernel/contract/rendered.js';
import type { Rendering } from './dialect.js';
import { inActionable } from './hosts.js';

export interface QueryPlan extends Omit<ModePlan, 'renders'> {
  /** The rows are a list whatever their number: the work was done for each item of one. */
  readonly list?: true;
  /** As `execute`, with the rows as JSON text in the shape that the mode asks for. */
  readonly render?: (frame: Frame, rendering: Rendering) => Promise<Rendered>;
}

export interface Query {
  /**
   * `value` is the object behind the key; `pointer` its place in the file. Gives rows; the mode shapes them. `result`: the shape
   * that the actionable asks for.
   */
  plan(
    value: Readonly<Record<string, Json>>,
    pointer: string,
    tools: PlanTools,
    result?: Rendering['shape'],
  ): QueryPlan;
}

const SQL = { say: 'SQL is `"sql_query"`, whatever the database', rename: 'sql_query' };
const DOCUMENTS = { say: 'queries of documents are `"mongo_query"`', rename: 'mongo_query' };
const MISTAKEN: Mistaken = {
  nosql_query: DOCUMENTS,
  mongodb_query: DOCUMENTS,
  document_query: DOCUMENTS,
  mongo: DOCUMENTS,
  mongodb: DOCUMENTS,
  mysql_query: SQL,
  mariadb_query: SQL,
  postgres_query: SQL,
  pg_query: SQL,
};

export const query = defineKind<Query>({
  kind: 'query',
  title: 'Query language',
  summary: 'How a query is written: `sql_query` for relational databases, `mongo_query` for documents.',
  slots: ['actionable.query'],
  select: { by: 'key', pick: 'one' },
  mistaken: { 'actionable.query': MISTAKEN },
  facts: {},
  handle: ['plan'],
  host: (fragment, plugin) => {
    const host = inActionable({ [plugin.name]: fragment }, { mode: 'QUERY' });
    return { ...host, at: `${host.at}/${plugin.name}` };
  },
});
