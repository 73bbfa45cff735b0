/** Plans a query with its language plugin, and shapes the rows. */
import type { Json } from '../../../contract/json.js';
import { asText, isObject } from '../../../contract/json.js';
import type { ModePlan, PlanTools } from '../../../contract/plan.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { mode } from '../kind.js';
import type { Rendering } from '../../dialects/kind.js';
import { query, type Query, type QueryPlan } from '../../queries/kind.js';

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
  const result = asText(value['result']);
  const shape = result === 'one' || result === 'many' ? result : 'count';
  const fields = isObject(written) ? written : {};
  const { render, list, ...inner } = language(name).plan(fields, `${pointer}/${name}`, tools, shape);
  if (list === true) return inner;
  const shaped = SHAPES[shape];
  return {
    ...inner,
    execute: (frame) => {
      const rows = inner.execute(frame) as readonly unknown[] | Promise<readonly unknown[]>;
      return rows instanceof Promise ? rows.then(shaped) : shaped(rows);
    },
    ...(render !== undefined && { renders: rendersWith(render, shape) }),
  };
}

function rendersWith(
  render: NonNullable<QueryPlan['render']>,
  shape: Rendering['shape'],
): NonNullable<ModePlan['renders']> {
  return (names, hide, streams, inside) => {
    const rendering: Rendering = Object.freeze({ names, shape, hide, streams: streams && shape !== 'one' });
    return render(rendering, inside);
  };
}

/** No row becomes null, one row an object, several an array. */
const byCount = (rows: readonly unknown[]): unknown => (rows.length > 1 ? rows : (rows[0] ?? null));

const SHAPES: Readonly<Record<Rendering['shape'], (rows: readonly unknown[]) => unknown>> = {
  count: byCount,
  one: (rows) => rows[0] ?? null,
  many: (rows) => rows,
};
