/** Settings that depend only on constants and the environment. */
import type { Json } from './json.js';
import type { PlanTools } from './plan.js';

/** The checker guarantees that no accessor in `json` reads a frame. */
export const readConstantText = (json: Json, tools: Pick<PlanTools, 'text'>): string =>
  tools.text(json)(undefined as never);
