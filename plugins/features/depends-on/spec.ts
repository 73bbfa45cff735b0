/** Runs other actionables first and extracts values of their results. */
import { definePlugin } from '../../../contract/plugin.js';
import { list, numeric, shape, text } from '../../../contract/combinators.js';

const ENTRY = '{"resource_id": "self", "action_ids": [1]}';
const IDS = { say: 'actionables are named by a list of their ids: `"action_ids": [1]`', rename: 'action_ids' };
const RESOURCE = { say: '`self` or the id of a resource is written in `"resource_id"`', rename: 'resource_id' };
const PATH = { say: 'the path into the result is `"extract"`', rename: 'extract' };
const NAME = { say: 'the name of the value is `"for"`', rename: 'for' };
const DEPENDENCY = {
  action: IDS,
  actions: IDS,
  action_id: IDS,
  actionable: IDS,
  actionables: IDS,
  actionable_id: IDS,
  actionable_ids: IDS,
  id: IDS,
  ids: IDS,
  resource: RESOURCE,
  resourceId: RESOURCE,
  extract: 'values are named by `"extract_response_for": [{"extract": "balance", "for": "balance"}]`',
  for: 'values are named by `"extract_response_for": [{"extract": "balance", "for": "balance"}]`',
};
const EXTRACTION = { field: PATH, path: PATH, from: PATH, property: PATH, as: NAME, name: NAME, into: NAME, to: NAME };

const createExtractionsField = (doc: string, late: boolean) =>
  list(
    shape(
      {
        extract: text({
          doc: 'Path into the result. `self_` is the whole result.',
          examples: ['balance', '0.id', 'self_'],
          refers: { symbol: 'value', soft: true, extracted: true },
        }).required(),
        for: text({
          doc: 'Name under which the value is available.',
          declares: 'name',
          late,
          examples: ['current_balance'],
        })
          .required()
          .matches(/^[A-Za-z_][A-Za-z0-9_]*$/),
      },
      { form: '{"extract": "balance", "for": "current_balance"}', mistaken: EXTRACTION },
    ),
    { doc, form: '[{"extract": "balance", "for": "current_balance"}]' },
  );

export default definePlugin({
  kind: 'feature',
  name: 'depends_on',
  since: '0.1.0',
  summary: 'Runs other actionables before this one, and names values of their results.',
  details:
    'A dependency runs at most once per request, even if several actionables name it. `extract` is a path into its ' +
    'result (`balance`, `0.id`); `self_` is the whole result. The name in `for` can be used directly or as ' +
    '`$PAYLOAD.<for>`. On an actionable itself, `extract_response_for` names values of all its dependencies, or, ' +
    'without any, values of its own result for later actionables.',
  facts: { applies: 'when-present' },
  openapi: () => ({ repeatable: true }),
  slots: {
    actionable: shape({
      depends_on: list(
        shape(
          {
            resource_id: text({
              doc: '`self`, or the `id` of another resource.',
              refers: { symbol: 'resource' },
              examples: ['self'],
            }).required(),
            action_ids: list(
              numeric({
                doc: 'Id of an actionable.',
                refers: { symbol: 'action', within: 'resource_id', edge: true, feeds: true },
              }),
              {
                doc: 'Ids of the actionables to run first.',
                examples: [[1]],
                form: '[1]',
              },
            )
              .min(1)
              .required(),
            extract_response_for: createExtractionsField('Values to take out, and their names.', false),
          },
          { form: ENTRY, mistaken: DEPENDENCY },
        ),
        { doc: 'Actionables that run before this one.', form: `[${ENTRY}]` },
      ),
      extract_response_for: createExtractionsField(
        'Values to name: out of the results that this actionable depends on; without any, out of its own for later ones.',
        true,
      ),
    }),
  },
  errors: {
    DEP_UNRESOLVED: {
      status: 422,
      title: 'Value to continue with is missing',
      message: 'An earlier step returned no value for {name}.',
      help: 'The row that the chain starts from does not exist, or has no such field.',
    },
  },
  invented: [
    {
      pattern: '(?:action|actionable|step)s?[._-]?([0-9]+)(?:\\.(.+))?',
      say:
        'take the value out of actionable {1} with `"depends_on": [{"resource_id": "self", "action_ids": [{1}], ' +
        '"extract_response_for": [{"extract": "{2}", "for": "value_of_{1}"}]}]` and write "value_of_{1}"',
    },
    {
      pattern: '(?:actions?|actionables?|steps?|results?|prev|previous|responses?|last)(?:\\..*)?()',
      say:
        'take the value out of an actionable with `"depends_on": [{"resource_id": "self", "action_ids": [1], ' +
        '"extract_response_for": [{"extract": "id", "for": "first_id"}]}]` and write "first_id"',
    },
  ],
  examples: [
    {
      title: 'Use a value of an earlier actionable',
      json: {
        depends_on: [
          {
            resource_id: 'self',
            action_ids: [1],
            extract_response_for: [{ extract: 'balance', for: 'current_balance' }],
          },
        ],
      },
    },
    {
      title: 'Name a value for later actionables',
      json: { extract_response_for: [{ extract: 'self_', for: 'first_result' }] },
    },
  ],
  counterExamples: [
    { title: 'A number instead of a list', json: { depends_on: [1] }, code: 'DEF_TYPE', at: '/depends_on/0' },
    {
      title: 'No such resource',
      json: { depends_on: [{ resource_id: 'other', action_ids: [1] }] },
      code: 'LNK_UNKNOWN_RESOURCE',
      at: '/depends_on/0/resource_id',
    },
    {
      title: 'No such actionable',
      json: { depends_on: [{ resource_id: 'self', action_ids: [9] }] },
      code: 'LNK_UNKNOWN_ACTION',
      at: '/depends_on/0/action_ids/0',
    },
  ],
});
