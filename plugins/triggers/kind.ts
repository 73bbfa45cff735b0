/** Kind `trigger`: begins work without an HTTP request, with the services of `contract/trigger.ts`. It has no handle. */
import { defineKind } from '../../contract/kind.js';

export const trigger = defineKind<object>({
  kind: 'trigger',
  title: 'Trigger',
  summary: 'Begins work without an HTTP request.',
  slots: [],
  select: { by: 'name' },
  facts: {
    section: {
      doc: 'The section of the config that enables the trigger with its field `enabled`; it contains the options.',
      type: 'string',
      required: false,
    },
  },
  handle: [],
  host: (fragment, { facts }) => {
    const section = String(facts?.['section'] ?? '');
    return { file: 'config', json: { [section]: fragment }, at: `/${section}` };
  },
});
