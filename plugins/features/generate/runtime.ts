/** Generates identifiers before the cache lookup of the actionable, so that a cached result does not skip it. */
import { asText, isObject, type Json } from '../../../contract/json.js';
import type { PlanTools, Step } from '../../../contract/plan.js';
import { ActionPhase } from '../../../contract/slot.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { feature } from '../kind.js';
import { generator } from '../../generators/kind.js';

export default defineRuntime(feature, {
  create: () => ({ plan: ({ value }, tools) => ({ steps: plan(value, tools) }) }),
});

type Entry = Readonly<Record<string, Json>>;

/** `generate` and `for` written directly on the holder form one entry. */
function listEntries(value: Entry): readonly Entry[] {
  const { generate } = value;
  if (typeof generate === 'string') return [value];
  return (Array.isArray(generate) ? (generate as readonly Json[]) : [generate]).filter(isObject);
}

function plan(value: Entry, tools: PlanTools): Step[] {
  const steps = listEntries(value).flatMap((entry) => {
    const written = asText(entry['generate']);
    const source = tools.resolve(generator, listAccessors(written)[0]?.tail[0] ?? written);
    return tools.assignGenerated(asText(entry['for']), () => source.next()) ?? [];
  });
  return steps.map((run) => ({ id: 'generate', phase: ActionPhase.RECALL, order: -200, run }));
}
