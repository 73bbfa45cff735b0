/** `must_return_value`: an actionable that has to produce a result. */
import type { ApiPart, ApiPlace, JsonSchema } from '../../../kernel/contract/api.js';
import { isObject } from '../../../kernel/contract/json.js';
import { definePlugin } from '../../../kernel/contract/plugin.js';
import { flag, numeric, shape, text } from '../../../kernel/schema/combinators.js';
import { ActionPhase } from '../../../kernel/contract/slot.js';
import { isList, isNull } from '../../../kernel/schema/forms.js';

export default definePlugin({
  kind: 'feature',
  name: 'must_return_value',
  since: '0.1.0',
  summary: 'The actionable has to produce a result; without one the request ends with 404.',
  details: 'No result is `null` or an empty array. `on_empty` (extension) sets another status and message.',
  facts: { applies: 'when-present' },
  slots: {
    actionable: shape({
      must_return_value: flag({ doc: 'End the request when there is no result.', default: false }),
      on_empty: shape({
        status: numeric({ doc: 'HTTP status, 400 to 499.', examples: [404] })
          .integer()
          .min(400)
          .max(499),
        message: text({ doc: 'Sentence for the caller.', examples: ['No such account.'] }),
      }).meta({ doc: 'What to answer when there is no result (extension).', advanced: true }),
    }),
  },
  standing: ({ value }) => {
    // What stops quietly is committed all the same.
    const isQuiet = isObject(value['on_empty']) && value['on_empty']['stop'] === true;
    return value['must_return_value'] === true && !isQuiet ? 'demanding' : null;
  },
  openapi: demanded,
  errors: {
    ACT_NO_VALUE: {
      status: 404,
      title: 'No result',
      message: 'Operation Failed: this action must return a value!',
      help: 'Nothing matched what the request asked for.',
    },
  },
  examples: [
    {
      title: 'A row must exist',
      json: { must_return_value: true, on_empty: { status: 404, message: 'No such account.' } },
    },
  ],
  counterExamples: [
    {
      title: 'Not a status of a refusal',
      json: { must_return_value: true, on_empty: { status: 200 } },
      code: 'DEF_RANGE',
      at: '/on_empty/status',
    },
  ],
});

function demanded({ value }: ApiPlace): ApiPart {
  if (value['must_return_value'] !== true) return { refuses: [] };
  const { status, message } = isObject(value['on_empty']) ? value['on_empty'] : {};
  const refusal = {
    code: 'ACT_NO_VALUE',
    ...(typeof status === 'number' && { status }),
    ...(typeof message === 'string' && { message }),
  };
  const filled = (form: JsonSchema): JsonSchema => (isList(form) ? { ...form, minItems: 1 } : form);
  return {
    refuses: [refusal],
    changes: [{ phase: ActionPhase.CONFIRM, change: (forms) => forms.filter((form) => !isNull(form)).map(filled) }],
  };
}
