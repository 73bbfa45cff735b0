/**
 * Plugins for tests only: features that no plugin of the distribution has yet (a deprecated field, a second query
 * language, a literal-or-accessor, an exact length, a rejected accessor root, a guard). Specs only; nothing runs them.
 */
import { number, string } from 'yup';
import { isObject } from '../../contract/json.js';
import { definePlugin } from '../../contract/plugin.js';
import type { PluginSpec } from '../../contract/plugin-spec.js';
import { anyJson, flag, list, numeric, record, shape, text, value } from '../../contract/combinators.js';

const feature = definePlugin({
  kind: 'feature',
  name: 'trial_feature',
  since: '0.1.0',
  summary: 'Fields for tests.',
  facts: { applies: 'when-present' },
  slots: {
    actionable: shape({
      trial: shape({
        old_name: text({
          doc: 'Former name.',
          deprecated: { since: '0.1.0', message: 'use "name"', replacedBy: 'name' },
        }),
        name: text({ doc: 'A name.', examples: ['ada'] }),
        code: string().length(4).meta({ doc: 'Four characters.' }),
        share: number().positive().lessThan(1).meta({ doc: 'Between nothing and everything.' }),
        count: value(numeric({ doc: 'How many.' }).integer().min(1), { doc: 'A number or an accessor.' }),
        header: value(null, { doc: 'A value out of a header.', roots: ['HEADER'] }),
        nothing: text({ doc: 'Text or null.' }).nullable(),
        switches: record(flag({ doc: 'On or off.' }), { doc: 'Switches.' }),
        letters: list(text({ doc: 'A letter.' }).required(), { doc: 'Two or three letters.' })
          .min(2)
          .max(3),
        free: anyJson({ doc: 'Anything.' }),
      }).meta({ doc: 'Fields for tests.' }),
    }),
  },
  examples: [{ title: 'A name', json: { trial: { name: 'ada' } } }],
  counterExamples: [
    { title: 'The former name', json: { trial: { old_name: 'ada' } }, code: 'DEF_DEPRECATED', at: '/trial/old_name' },
  ],
});

const language = definePlugin({
  kind: 'query',
  name: 'trial_query',
  since: '0.1.0',
  summary: 'A second query language, for tests.',
  schema: shape({ text: text({ doc: 'The query.' }).required() }),
  examples: [{ title: 'A query', json: { text: 'all' } }],
  counterExamples: [{ title: 'No text', json: {}, code: 'DEF_REQUIRED', at: '' }],
});

const later = definePlugin({
  kind: 'feature',
  name: 'trial_later',
  since: '0.1.0',
  summary: 'Work behind the answer, for tests.',
  facts: { applies: 'when-present' },
  slots: { actionable: shape({ trial_later: flag({ doc: 'Do it later.' }) }) },
  timing: () => 'later',
  examples: [{ title: 'Later', json: { trial_later: true } }],
  counterExamples: [{ title: 'A switch', json: { trial_later: 'yes' }, code: 'DEF_TYPE', at: '/trial_later' }],
});

const guard = definePlugin({
  kind: 'feature',
  name: 'trial_guard',
  since: '0.1.0',
  summary: 'A guard with a key, for tests.',
  facts: { applies: 'when-present', guards: true, identifies: true },
  slots: {
    resource: shape({
      trial_guard: shape({
        key: value(text({ doc: 'A key.' }), { doc: 'The key.', secret: true, examples: ['$ENV.JWT_SECRET_KEY'] }),
        extraSalt: text({ doc: 'More salt.', secret: true }),
        claims: list(text({ doc: 'A claim.', declares: 'claim' }).required(), { doc: 'Claims that are read.' }),
      }).meta({ doc: 'A guard.' }),
    }),
  },
  check: ({ value: { trial_guard: own }, env }) => {
    const key = isObject(own) ? own['key'] : undefined;
    const fact = typeof key === 'string' && key.startsWith('$ENV.') ? env(key.slice('$ENV.'.length)) : null;
    if (fact === null || fact.blank || fact.bytes >= 8) return [];
    return [{ code: 'TRL_SHORT', at: '/trial_guard/key', params: { length: fact.length, bytes: fact.bytes } }];
  },
  errors: {
    TRL_SHORT: {
      severity: 'error',
      title: 'Key too short',
      message: 'The key has {length} characters and {bytes} bytes.',
      help: 'Take a longer one.',
    },
  },
  examples: [{ title: 'A claim', json: { trial_guard: { claims: ['id'] } } }],
  counterExamples: [
    { title: 'A list', json: { trial_guard: { claims: 'id' } }, code: 'DEF_TYPE', at: '/trial_guard/claims' },
  ],
});

const rows = definePlugin({
  kind: 'validation-type',
  name: 'TRIAL_LIST',
  since: '0.1.0',
  summary: 'A list of objects, for tests.',
  facts: { jsType: 'array', bounded: false },
  schema: shape({
    fields: record(anyJson({ doc: 'Rules of a field.' }), { doc: 'Fields of an item.', examples: [{ sku: {} }] }),
  }),
  examples: [{ title: 'A list', json: { type: 'TRIAL_LIST', fields: { sku: { type: 'STRING' } } } }],
  counterExamples: [
    { title: 'Fields are named', json: { type: 'TRIAL_LIST', fields: ['sku'] }, code: 'DEF_TYPE', at: '/fields' },
  ],
});

const lister = definePlugin({
  kind: 'mode',
  name: 'TRIAL_MODE',
  since: '0.1.0',
  summary: 'Gives a list, for tests.',
  facts: { touches: 'nothing', lists: true, outputs: ['url', 'file_size'] },
  schema: shape({}),
  examples: [{ title: 'A list', json: { mode: 'TRIAL_MODE' } }],
  counterExamples: [
    { title: 'Nothing else', json: { mode: 'TRIAL_MODE', size: 1 }, code: 'DEF_UNKNOWN_KEY', at: '/size' },
  ],
});

export const trialSpecs: readonly PluginSpec[] = [feature, later, language, rows, lister, guard];
