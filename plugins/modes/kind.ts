/** Kind `mode`: the operation of an actionable, one closure. */
import type { ModeHandle } from '../../contract/handles.js';
import { defineKind } from '../../contract/kind.js';
import { Slot } from '../../contract/slot.js';
import { wrapInActionable } from '../shared/examples.light.js';

export type { ModeHandle } from '../../contract/handles.js';

export const mode = defineKind<ModeHandle>({
  kind: 'mode',
  title: 'Mode',
  summary: 'The type of work of an actionable.',
  slots: [Slot.MODE],
  select: { by: 'field', field: 'mode' },
  expected: {
    HTTPREQUEST: { [Slot.MODE]: ['http'] },
  },
  facts: {
    touches: { doc: 'What the work uses, for the table of endpoints.', type: 'string', required: true },
    lists: {
      doc: 'The result is a list, over which a later actionable with `multi` can repeat its statement.',
      type: 'boolean',
      required: false,
    },
    immediate: {
      doc: 'Reads what only the request has, such as its files, so it cannot be deferred.',
      type: 'boolean',
      required: false,
    },
    returns: { doc: 'The field whose value is the result.', type: 'string', required: false },
    outputs: { doc: 'Names of the fields of an item of that list.', type: 'list', required: false },
  },
  handle: ['plan'],
  host: (fragment) => wrapInActionable(fragment, {}),
});
