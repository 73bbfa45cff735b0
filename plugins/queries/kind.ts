/** Kind `query`: a query language for actionables of mode `QUERY`, selected by its key. */
import type { Json } from '../../contract/json.js';
import type { CommonMistakes } from '../../contract/common-mistakes.js';
import { defineKind } from '../../contract/kind.js';
import type { ModelTable } from '../../contract/model.js';
import type { Frame, ModePlan, PlanTools } from '../../contract/plan.js';
import type { QueryQuestion, QueryRejection } from '../../contract/statement-check.js';
import type { JsonStream } from '../../contract/json-stream.js';
import type { RawJson } from '../../contract/raw-json.js';
import type { Rendering } from '../dialects/kind.js';
import { wrapInActionable } from '../shared/examples.light.js';

export interface QueryPlan extends Omit<ModePlan, 'renders'> {
  /** Always a list: the statement was repeated for items. */
  readonly list?: true;
  /** Null where it is impossible. `inside`: the statement runs in a transaction. */
  readonly render?: (rendering: Rendering, inside: boolean) => ((frame: Frame) => Promise<RawJson | JsonStream>) | null;
}

export interface Query {
  /**
   * `value` is under the key, `pointer` its location. Returns rows, which the mode shapes; `result` is the requested
   * shape.
   */
  plan(
    value: Readonly<Record<string, Json>>,
    pointer: string,
    tools: PlanTools,
    result?: Rendering['shape'],
  ): QueryPlan;
  /** For languages without text: the store does not run it. */
  check?(question: QueryQuestion, tables: readonly ModelTable[]): Promise<QueryRejection | null>;
}

const SQL = { say: 'SQL is `"sql_query"`, whatever the database', rename: 'sql_query' };
const DOCUMENTS = { say: 'queries of documents are `"mongo_query"`', rename: 'mongo_query' };
const MISTAKEN: CommonMistakes = {
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
  summary: 'The language of a query: `sql_query` for relational databases, `mongo_query` for documents.',
  slots: ['actionable.query'],
  select: { by: 'key', pick: 'one' },
  mistaken: { 'actionable.query': MISTAKEN },
  facts: {},
  handle: ['plan'],
  host: (fragment, plugin) => {
    const host = wrapInActionable({ [plugin.name]: fragment }, { mode: 'QUERY' });
    return { ...host, at: `${host.at}/${plugin.name}` };
  },
});
