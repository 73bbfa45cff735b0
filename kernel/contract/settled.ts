/** Settings in which nothing of a request can stand, only constants and what the environment holds: read once, at load. */
import type { Json } from './json.js';
import type { PlanTools } from './plan.js';

/** The checker has seen to it that no accessor in `json` reads a frame. */
export const settledText = (json: Json, tools: Pick<PlanTools, 'text'>): string => tools.text(json)(undefined as never);
