/** Kind `query`: a way to write a database query in an actionable of mode `QUERY`, chosen by its key. */
import type { Json } from '../../kernel/contract/json.js';
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
  /** `value` is the object behind the key; `pointer` its place in the file. Gives rows; the mode shapes them. */
  plan(value: Readonly<Record<string, Json>>, pointer: string, tools: PlanTools): QueryPlan;
}

export const query = defineKind<Query>({
  kind: 'query',
  title: 'Query language',
  summary: 'How a query is written: `sql_query` for relational databases.',
  slots: ['actionable.query'],
  select: { by: 'key', pick: 'one' },
  expected: { mongo_query: {} },
  facts: {},
  handle: ['plan'],
  host: (fragment, plugin) => {
    const host = inActionable({ [plugin.name]: fragment }, { mode: 'QUERY' });
    return { ...host, at: `${host.at}/${plugin.name}` };
  },
});
