/** Spec of `generate` / `for`: generates an identifier under a name. */
import { asText, isObject, type Json } from '../../../contract/json.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { either, list, pluginName, shape, text } from '../../../contract/combinators.js';

const createSourceField = () =>
  pluginName('generator', { doc: 'The generator: `ULID`, or `$GENERATOR.ULID`.', examples: ['ULID'] });

const createNameField = (doc: string) =>
  text({ doc, declares: 'generated', examples: ['id'] }).matches(/^[A-Za-z_][A-Za-z0-9_]*$/);

const NAME = { say: 'the name is `"for"`', rename: 'for' };
const MADE = { say: 'the generator is `"generate"`', rename: 'generate' };

const createEntryField = () =>
  shape({
    generate: createSourceField().required(),
    for: createNameField('Name under which the identifier is available.').required(),
  }).meta({
    doc: 'A generator, and the name of its value.',
    mistaken: { as: NAME, name: NAME, into: NAME, field: NAME, generator: MADE, with: MADE },
  });

export default definePlugin({
  kind: 'feature',
  name: 'generate',
  since: '0.2.0',
  summary: 'Creates an identifier and names it, for this actionable and those after it.',
  details:
    'The name is used directly or as `$PAYLOAD.<for>`, in parameters, `returnables` and claims. The identifier is ' +
    'created once per request, stays the same when a transaction is retried, and is created anew for each item of a ' +
    'list (`multi`). If `extract_response_for` defines the same name, its value is used; a field of the payload with ' +
    'the same name is not.',
  facts: { applies: 'when-present' },
  openapi: () => ({ repeatable: true }),
  requires: ['generator:*'],
  slots: {
    actionable: shape({
      generate: either(
        [
          createSourceField(),
          createEntryField(),
          list(createEntryField(), { doc: 'Several identifiers.', itemLabel: 'this entry' }).min(1),
        ],
        {
          doc: 'A generator (with `for` next to it), an object `{generate, for}`, or a list of such objects.',
          examples: ['ULID', { generate: 'ULID', for: 'id' }],
        },
      ),
      for: createNameField('Name for the identifier that the generator next to it creates.'),
    }),
  },
  check,
  errors: {
    GEN_HALF: {
      severity: 'error',
      title: 'Half of a pair',
      message: '"{have}" needs the text "{missing}" next to it.',
      help: 'Write `"generate": "ULID", "for": "id"`, or one object `{"generate": "ULID", "for": "id"}` under `generate`.',
    },
    GEN_TWICE: {
      severity: 'error',
      title: 'Generated twice',
      message: 'This actionable generates "{name}" more than once.',
      help: 'Keep one, or give the other another name.',
    },
  },
  examples: [
    { title: 'An id', json: { generate: { generate: 'ULID', for: 'id' } } },
    { title: 'With `for` next to it', json: { generate: '$GENERATOR.UUID', for: 'id' } },
    {
      title: 'Two identifiers',
      json: {
        generate: [
          { generate: 'ULID', for: 'id' },
          { generate: 'NANOID', for: 'invitation' },
        ],
      },
    },
  ],
  counterExamples: [
    {
      title: 'No such generator',
      json: { generate: { generate: 'ULIDD', for: 'id' } },
      code: 'DEF_UNKNOWN_PLUGIN',
      at: '/generate/generate',
    },
    { title: 'Another accessor', json: { generate: '$DATETIME', for: 'id' }, code: 'ACC_NOT_HERE', at: '/generate' },
    { title: 'No name', json: { generate: 'ULID' }, code: 'GEN_HALF', at: '/generate' },
    { title: 'No generator', json: { for: 'id' }, code: 'GEN_HALF', at: '/for' },
    { title: 'A number', json: { generate: 5, for: 'id' }, code: 'DEF_TYPE', at: '/generate' },
    {
      title: 'One name twice',
      json: {
        generate: [
          { generate: 'ULID', for: 'id' },
          { generate: 'UUID', for: 'id' },
        ],
      },
      code: 'GEN_TWICE',
      at: '/generate/1/for',
    },
  ],
});

function check({ value }: CheckPlace): Finding[] {
  const { generate } = value;
  const isShort = typeof generate === 'string';
  if (isShort && value['for'] === undefined) {
    return [{ code: 'GEN_HALF', at: '/generate', params: { have: 'generate', missing: 'for' } }];
  }
  if (!isShort && value['for'] !== undefined) {
    return [{ code: 'GEN_HALF', at: '/for', params: { have: 'for', missing: 'generate' } }];
  }
  const entries = Array.isArray(generate) ? (generate as readonly Json[]) : [];
  const names = entries.map((one) => (isObject(one) ? asText(one['for']) : ''));
  return names.flatMap((name, index) =>
    names.indexOf(name) === index ? [] : [{ code: 'GEN_TWICE', at: `/generate/${index}/for`, params: { name } }],
  );
}
