/** The type of a compiled resource, for the HTTP application. */
export type { ResourcePlan } from '../../contract/resource-plan.js';
