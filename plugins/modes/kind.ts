/** Kind `mode`: the operation of an actionable. Its plan is one closure, created at load. */
import type { Json } from '../../contract/json.js';
import { defineKind } from '../../contract/kind.js';
import type { ModePlan, PlanTools } from '../../contract/plan.js';
import { Slot } from '../../contract/slot.js';
import { wrapInActionable } from '../shared/examples.light.js';

export interface ModeHandle {
  /** `value` holds the whole actionable; `pointer` is its location in the file. */
  plan(value: Readonly<Record<string, Json>>, pointer: string, tools: PlanTools): ModePlan;
}

export const mode = defineKind<ModeHandle>({
  kind: 'mode',
  title: 'Mode',
  summary: 'The sort of work that an actionable does.',
  slots: [Slot.MODE],
  select: { by: 'field', field: 'mode' },
  expected: {
    HTTPREQUEST: { [Slot.MODE]: ['http'] },
  },
  facts: {
    touches: { doc: 'What the work reaches, for the table of endpoints.', type: 'string', required: true },
    lists: {
      doc: 'The result is a list that a repeated statement right behind it goes through.',
      type: 'boolean',
      required: false,
    },
    immediate: {
      doc: 'Takes what only the request has, such as its files: never done later.',
      type: 'boolean',
      required: false,
    },
    outputs: { doc: 'Names inside an item of that list.', type: 'list', required: false },
  },
  handle: ['plan'],
  host: (fragment) => wrapInActionable(fragment, {}),
});
