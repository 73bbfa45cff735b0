/** Spec of `must_return_value`: an actionable that must produce a result. */
import type { ApiPart, ApiPlace, JsonSchema } from '../../../contract/api.js';
import { isObject } from '../../../contract/json.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { flag, numeric, shape, text } from '../../../contract/combinators.js';
import { ActionPhase } from '../../../contract/slot.js';
import { createRemovalFix } from '../../shared/field-removal.light.js';
import { isList, isNull } from '../../../contract/forms.js';

const STATUS = { say: 'the status is `"status"`', rename: 'status' };
const SENTENCE = { say: 'the message is `"message"`', rename: 'message' };

export default definePlugin({
  kind: 'feature',
  name: 'must_return_value',
  since: '0.1.0',
  summary: 'Requires a result of the actionable. Without one, the response is 404.',
  details:
    '`null` and an empty array are no result. `on_empty` (extension) sets another status and message, or ends the ' +
    'request here without an error: with `"stop": true` no later actionable runs, nothing is deferred, and earlier ' +
    'writes are committed. The response is 200 with the result of the main actionable, or `null` if it has not run; a ' +
    'job ends as done. So an event that is already known (`INSERT ... ON CONFLICT DO NOTHING RETURNING id`) ends ' +
    'without an error.',
  facts: { applies: 'when-present' },
  slots: {
    actionable: shape({
      must_return_value: flag({ doc: 'End the request when there is no result.', default: false }),
      on_empty: shape({
        status: numeric({ doc: 'HTTP status, 400 to 499.', default: 404, examples: [404] })
          .integer()
          .min(400)
          .max(499),
        message: text({ doc: 'Message of the error response.', examples: ['No such account.'] }),
        stop: flag({
          doc: 'Ends the request here without an error: later actionables do not run, and earlier writes are committed.',
          default: false,
          form: 'true',
          since: '0.6.0',
        }),
      }).meta({
        doc: 'The response when there is no result (extension).',
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
      title: 'Both an end and a rejection',
      message: '`{name}` is for a refusal, but `"stop": true` ends the request without one.',
      help: 'Keep `"stop": true` for an end without an error, or `status` and `message` for a rejection.',
    },
  },
  examples: [
    {
      title: 'A known event ends the request without an error',
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
      title: 'A result is not required',
      json: { on_empty: { stop: true } },
      code: 'ACT_NOT_DEMANDED',
      at: '/on_empty',
    },
    {
      title: 'An end and a rejection together',
      json: { must_return_value: true, on_empty: { stop: true, status: 409 } },
      code: 'ACT_STOP_REFUSES',
      at: '/on_empty/status',
    },
    {
      title: 'Not the status of an error',
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
  if (value['must_return_value'] !== true) return { refuses: [], repeatable: true };
  const { status, message, stop } = isObject(value['on_empty']) ? value['on_empty'] : {};
  if (stop === true) return { refuses: [], ends: true, repeatable: true };
  const refusal = {
    code: 'ACT_NO_VALUE',
    ...(typeof status === 'number' && { status }),
    ...(typeof message === 'string' && { message }),
  };
  const requireItem = (form: JsonSchema): JsonSchema => (isList(form) ? { ...form, minItems: 1 } : form);
  return {
    refuses: [refusal],
    repeatable: true,
    changes: [
      { phase: ActionPhase.CONFIRM, change: (forms) => forms.filter((form) => !isNull(form)).map(requireItem) },
    ],
  };
}
