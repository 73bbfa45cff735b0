/** Kind `trigger`: begins work without an HTTP request, with the services of `contract/trigger.ts`. It has no handle. */
import { isObject } from '../../contract/json.js';
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
  enable: (config, { facts }) => {
    const options = config[String(facts?.['section'])];
    return isObject(options) && options['enabled'] === true ? options : null;
  },
  host: (fragment, { facts }) => {
    const section = String(facts?.['section'] ?? '');
    return { file: 'config', json: { [section]: fragment }, at: `/${section}` };
  },
});
