/** Plans the query of an actionable with its language plugin, and gives the rows their shape. */
import type { Json } from '../../../kernel/contract/json.js';
import { asText, isObject } from '../../../kernel/contract/json.js';
import type { ModePlan, PlanTools } from '../../../kernel/contract/plan.js';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { mode } from '../../kinds/mode.js';
import { query, type Query } from '../../kinds/query.js';

export default defineRuntime(mode, {
  create: ({ resolve }) => ({ plan: (...place) => plan(...place, (name) => resolve(query, name)) }),
});

function plan(
  value: Readonly<Record<string, Json>>,
  pointer: string,
  tools: PlanTools,
  language: (name: string) => Query,
): ModePlan {
  const [name = ''] = tools.chosen(query);
  const written = value[name];
  const { list, ...inner } = language(name).plan(isObject(written) ? written : {}, `${pointer}/${name}`, tools);
  if (list === true) return inner;
  const shaped = SHAPES[asText(value['result'])] ?? byCount;
  return { ...inner, execute: async (frame) => shaped((await inner.execute(frame)) as readonly unknown[]) };
}

/** No row is null, one row an object, several an array. */
const byCount = (rows: readonly unknown[]): unknown => (rows.length > 1 ? rows : (rows[0] ?? null));

const SHAPES: Readonly<Record<string, ((rows: readonly unknown[]) => unknown) | undefined>> = {
  one: (rows) => rows[0] ?? null,
  many: (rows) => rows,
};
