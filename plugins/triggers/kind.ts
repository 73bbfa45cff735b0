/** Kind `trigger`: begins work without an HTTP request, with the services of `contract/trigger.ts`. */
import { isObject } from '../../contract/json.js';
import { defineKind } from '../../contract/kind.js';
import { wrapInActionable } from '../shared/examples.light.js';

export const trigger = defineKind<object>({
  kind: 'trigger',
  title: 'Trigger',
  summary: 'Begins work without an HTTP request.',
  slots: [],
  select: { by: 'name' },
  facts: {
    parts: {
      doc: 'It compiles and runs the parts of resources that run apart from requests. Loaded where a plugin in use defers work.',
      type: 'boolean',
      required: false,
    },
    field: { doc: 'The field of an actionable that uses the trigger.', type: 'string', required: false },
    section: {
      doc: 'The section of the config that enables the trigger with its field `enabled`; it contains the options.',
      type: 'string',
      required: false,
    },
  },
  handle: [],
  enable: (config, { facts }) => {
    const options = config[facts?.section ?? ''];
    return isObject(options) && options['enabled'] === true ? options : null;
  },
  host: (fragment, { facts }) => {
    const { field = '', section } = facts ?? {};
    const host = wrapInActionable({ [field]: fragment });
    if (section === undefined) return { ...host, at: `${host.at}/${field}` };
    return { file: 'config', json: { [section]: fragment }, at: `/${section}` };
  },
});
