/** Selects the steps of a range of phases, in execution order. */
import type { Step } from './plan.js';

export function selectSteps(steps: readonly Step[], from: number, to: number): readonly Step[] | null {
  const chosen = steps.filter((step) => step.phase >= from && step.phase <= to);
  if (chosen.length === 0) return null;
  return Object.freeze(chosen.sort((a, b) => a.phase - b.phase || (a.order ?? 0) - (b.order ?? 0)));
}
