/** Spec of `must_return_value`: an actionable that must produce a result. */
import type { ApiPart, ApiPlace, JsonSchema } from '../../../contract/api.js';
import { isObject } from '../../../contract/json.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { flag, numeric, shape, text } from '../../../contract/combinators.js';
import { ActionPhase } from '../../../contract/slot.js';
import { createRemovalFix } from '../../shared/field-removal.light.js';
import { isList, isNull } from '../../../contract/forms.js';

const STATUS = { say: 'the status is `"status"`', rename: 'status' };
const SENTENCE = { say: 'the sentence is `"message"`', rename: 'message' };

export default definePlugin({
  kind: 'feature',
  name: 'must_return_value',
  since: '0.1.0',
  summary: 'The actionable has to produce a result; without one the request ends with 404.',
  details:
    'No result is `null` or an empty array. `on_empty` (extension) sets another status and message, or ends the request there ' +
    'without an error: with `"stop": true` nothing behind the actionable is done, nothing is put off, and what was done before stays. ' +
    'The answer is 200 with what the main actionable gave, `null` where it was not reached; work behind an answer is done with it. ' +
    'So an event that is known already (`INSERT ... ON CONFLICT DO NOTHING RETURNING id`) ends quietly.',
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
        stop: flag({
          doc: 'Ends the request there, without an error: nothing behind the actionable is done, and what was done before stays.',
          default: false,
          form: 'true',
          since: '0.6.0',
        }),
      }).meta({
        doc: 'What to answer when there is no result (extension).',
        advanced: true,
        mistaken: { code: STATUS, status_code: STATUS, error: SENTENCE, text: SENTENCE, detail: SENTENCE },
      }),
    }),
  },
  transactionEffect: ({ value }) => {
    // A request that stops without an error is still committed.
    const isQuiet = isObject(value['on_empty']) && value['on_empty']['stop'] === true;
    return value['must_return_value'] === true && !isQuiet ? 'demanding' : null;
  },
  check,
  openapi: describeApi,
  errors: {
    ACT_NO_VALUE: {
      status: 404,
      title: 'No result',
      message: 'Operation Failed: this action must return a value!',
      help: 'Nothing matched what the request asked for.',
    },
    ACT_NOT_DEMANDED: {
      severity: 'error',
      title: 'Result not required',
      message: '`on_empty` has no effect, because no result is required.',
      help: 'Write `"must_return_value": true` next to it.',
    },
    ACT_STOP_REFUSES: {
      severity: 'error',
      title: 'Ended and refused',
      message: '`{name}` is for a refusal, but `"stop": true` ends the request without one.',
      help: 'Keep `"stop": true` for an end without an error, or `status` and `message` for a refusal.',
    },
  },
  examples: [
    {
      title: 'An event that is known already ends quietly',
      json: {
        must_return_value: true,
        on_empty: { stop: true },
      },
    },
    {
      title: 'A row must exist',
      json: { must_return_value: true, on_empty: { status: 404, message: 'No such account.' } },
    },
  ],
  counterExamples: [
    {
      title: 'No result is demanded',
      json: { on_empty: { stop: true } },
      code: 'ACT_NOT_DEMANDED',
      at: '/on_empty',
    },
    {
      title: 'Ended and refused at once',
      json: { must_return_value: true, on_empty: { stop: true, status: 409 } },
      code: 'ACT_STOP_REFUSES',
      at: '/on_empty/status',
    },
    {
      title: 'Not a status of a refusal',
      json: { must_return_value: true, on_empty: { status: 200 } },
      code: 'DEF_RANGE',
      at: '/on_empty/status',
    },
  ],
});

function check({ value }: CheckPlace): Finding[] {
  const written = value['on_empty'];
  if (!isObject(written)) return [];
  const fix = { title: 'add "must_return_value"', edits: [{ at: '/must_return_value', put: true }] };
  if (value['must_return_value'] === undefined) return [{ code: 'ACT_NOT_DEMANDED', at: '/on_empty', fix }];
  if (written['stop'] !== true) return [];
  return ['status', 'message'].flatMap((name) => {
    const at = `/on_empty/${name}`;
    return written[name] === undefined
      ? []
      : [{ code: 'ACT_STOP_REFUSES', at, params: { name }, ...createRemovalFix(at) }];
  });
}

function describeApi({ value }: ApiPlace): ApiPart {
  if (value['must_return_value'] !== true) return { refuses: [] };
  const { status, message, stop } = isObject(value['on_empty']) ? value['on_empty'] : {};
  if (stop === true) return { refuses: [], ends: true };
  const refusal = {
    code: 'ACT_NO_VALUE',
    ...(typeof status === 'number' && { status }),
    ...(typeof message === 'string' && { message }),
  };
  const requireItem = (form: JsonSchema): JsonSchema => (isList(form) ? { ...form, minItems: 1 } : form);
  return {
    refuses: [refusal],
    changes: [
      { phase: ActionPhase.CONFIRM, change: (forms) => forms.filter((form) => !isNull(form)).map(requireItem) },
    ],
  };
}
