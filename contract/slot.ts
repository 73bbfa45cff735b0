/** Phases of a resource (from 1000) and of an actionable, and stages of taps. Gaps are for plugins. */
export const ResourcePhase = { ADMIT: 1100, CHECK: 1200, RECALL: 1300, ACT: 1400, REPLY: 1500, SETTLE: 1600 } as const;
export const ActionPhase = {
  RECALL: 100,
  PREPARE: 200,
  BIND: 300,
  EXECUTE: 400,
  CONFIRM: 500,
  SHAPE: 600,
  SETTLE: 700,
} as const;
export const Stage = { FIRST: -1000, SECURITY: -500, NORMAL: 0, LATE: 500, LAST: 1000 } as const;

/** Slots of the grammar; plugins' schemas declare the others. */
export const Slot = {
  RESOURCE: 'resource',
  ACTIONABLE: 'actionable',
  MODE: 'actionable.mode',
  MODEL: 'model',
  MODEL_FIELD: 'model.field',
  ACCESSOR: 'string.accessor',
  /** An object that stands for many values in an expectation. */
  MATCHER: 'test.matcher',
  REPORTER: 'config.reporter',
} as const;
