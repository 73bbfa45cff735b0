/**
 * Takes values out of the results of actionables that the plan has already run, and puts them into named slots. The
 * order itself is the compiler's: a dependency stands before the actionable that needs it.
 */
import { fault } from '../../../kernel/contract/fault.js';
import { asText, isObject, type Json } from '../../../kernel/contract/json.js';
import { ActionPhase } from '../../../kernel/contract/slot.js';
import type { Frame, PlanTools, Step } from '../../../kernel/contract/plan.js';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { compilePath, splitPath } from '../../../kernel/language/path.js';
import { feature } from '../../kinds/feature.js';

export default defineRuntime(feature, {
  create: () => ({ plan: ({ value }, tools) => ({ steps: planExtractions(value['depends_on'], tools) }) }),
});

const items = (json: Json | undefined): readonly Readonly<Record<string, Json>>[] =>
  Array.isArray(json) ? (json as readonly Json[]).filter(isObject) : [];

type Extract = (frame: Frame) => void;

function planExtractions(json: Json | undefined, tools: PlanTools): Step[] {
  const extracts: Extract[] = [];
  for (const dependency of items(json)) {
    const ids = Array.isArray(dependency['action_ids']) ? (dependency['action_ids'] as readonly Json[]) : [];
    const sources = ids.flatMap((id) => tools.action(asText(dependency['resource_id']), Number(id)) ?? []);
    for (const entry of items(dependency['extract_response_for'])) {
      const slot = tools.slot(asText(entry['for']));
      if (slot !== null) extracts.push(extraction(asText(entry['extract']), asText(entry['for']), sources, slot));
    }
  }
  if (extracts.length === 0) return [];
  return [
    {
      id: 'depends_on',
      phase: ActionPhase.PREPARE,
      order: -100,
      run: (frame) => {
        for (const extract of extracts) extract(frame);
      },
    },
  ];
}

/** The first of the named results that has the path gives the value; without any, the chain cannot go on. */
function extraction(path: string, name: string, sources: readonly number[], slot: number): Extract {
  const read = path === 'self_' ? (result: unknown): unknown => result : compilePath(splitPath(path));
  return (frame) => {
    for (const source of sources) {
      const value = read(frame.results[source]);
      if (value !== undefined) {
        frame.slots[slot] = value;
        return;
      }
    }
    throw fault('DEP_UNRESOLVED', { name });
  };
}
