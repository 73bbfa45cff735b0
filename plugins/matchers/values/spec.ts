/** Specs of the matchers: what a test accepts in place of one value. */
import { definePlugin } from '../../../contract/plugin.js';
import type { PluginSpec } from '../../../contract/plugin-spec.js';
import { list, numeric, text, value } from '../../../contract/combinators.js';

const SAVED = ['SAVED'];
const MISSPELT = [{ title: 'A misspelt matcher', json: { $anyy: 'uuid' }, code: 'DEF_UNKNOWN_KEY', at: '/$anyy' }];
const FORMS = [
  ...['value', 'string', 'number', 'integer', 'boolean', 'object', 'list'],
  ...['uuid', 'ulid', 'id', 'timestamp', 'date', 'email', 'url'],
];

const anyMatcher = definePlugin({
  kind: 'matcher',
  name: '$any',
  since: '0.6.0',
  summary: 'Any value of a type or a form.',
  schema: text({
    doc: 'The type or form.',
    examples: ['uuid'],
  }).oneOf(FORMS),
  examples: [{ title: 'A new identifier', json: 'ulid' }],
  counterExamples: [{ title: 'No such form', json: 'guid', code: 'DEF_VALUE', at: '' }],
});

const betweenMatcher = definePlugin({
  kind: 'matcher',
  name: '$between',
  since: '0.6.0',
  summary: 'A number or text between two bounds, both included.',
  schema: list(value(null, { doc: 'A bound: a number, or a text such as a time.', roots: SAVED }), {
    doc: 'The bounds.',
  }).length(2),
  examples: [{ title: 'A number near 10', json: [9.5, 10.5] }],
  counterExamples: [{ title: 'One bound', json: [1], code: 'DEF_RANGE', at: '' }],
});

const containsMatcher = definePlugin({
  kind: 'matcher',
  name: '$contains',
  since: '0.6.0',
  summary: 'A text with this part, or a list with such an item.',
  schema: value(null, { doc: 'The part of the text, or the item of the list.', matched: true, roots: SAVED }),
  examples: [{ title: 'A part of a text', json: 'hello' }],
  counterExamples: MISSPELT,
});

const exactlyMatcher = definePlugin({
  kind: 'matcher',
  name: '$exactly',
  since: '0.6.0',
  summary: 'Exactly this value: objects have no other fields.',
  schema: value(null, { doc: 'The value.', matched: true, roots: SAVED }),
  examples: [{ title: 'No other fields', json: { id: 1 } }],
  counterExamples: MISSPELT,
});

const lengthMatcher = definePlugin({
  kind: 'matcher',
  name: '$length',
  since: '0.6.0',
  summary: 'A text or list of this length.',
  schema: numeric({ doc: 'Number of characters or items.', examples: [3] })
    .integer()
    .min(0),
  examples: [{ title: 'Three items', json: 3 }],
  counterExamples: [{ title: 'A negative length', json: -1, code: 'DEF_RANGE', at: '' }],
});

const notMatcher = definePlugin({
  kind: 'matcher',
  name: '$not',
  since: '0.6.0',
  summary: 'Anything but this value.',
  schema: value(null, { doc: 'The value.', matched: true, roots: SAVED }),
  examples: [{ title: 'Not null', json: null }],
  counterExamples: MISSPELT,
});

const patternMatcher = definePlugin({
  kind: 'matcher',
  name: '$pattern',
  since: '0.6.0',
  summary: 'A text that a regular expression matches.',
  schema: text({ doc: 'The regular expression; `^` and `$` bind it to the ends.', examples: ['^INV-'] }),
  examples: [{ title: 'A number of an invoice', json: '^INV-[0-9]+$' }],
  counterExamples: [{ title: 'Not a text', json: 5, code: 'DEF_TYPE', at: '' }],
});

const snapshotMatcher = definePlugin({
  kind: 'matcher',
  name: '$snapshot',
  since: '0.6.0',
  summary: 'Exactly the value that `lintel test --update` has written here.',
  details:
    'Write `{"$snapshot": true}` and run `lintel test --update`, which replaces `true` by the value. It does so again when the value ' +
    'differs; matchers and `$SAVED` inside stay as they are. Only cases that pass otherwise are updated, and a value with a secret ' +
    'or a token never is.',
  schema: value(null, {
    doc: 'The value, in which parts may be replaced by matchers; `true` before it is written.',
    matched: true,
    roots: SAVED,
    examples: [true],
  }),
  examples: [
    { title: 'Before it is written', json: true },
    { title: 'A body with an identifier that is new in each run', json: { id: { $any: 'ulid' }, text: 'hello' } },
  ],
  counterExamples: MISSPELT,
});

const unorderedMatcher = definePlugin({
  kind: 'matcher',
  name: '$unordered',
  since: '0.6.0',
  summary: 'A list with these items in any order, and no others.',
  schema: list(value(null, { doc: 'An item.', matched: true, roots: SAVED }), { doc: 'The items.' }),
  examples: [{ title: 'Two items in any order', json: ['a', 'b'] }],
  counterExamples: [{ title: 'Not a list', json: 'a', code: 'DEF_TYPE', at: '' }],
});

export const matchers: readonly PluginSpec[] = [
  anyMatcher,
  betweenMatcher,
  containsMatcher,
  exactlyMatcher,
  lengthMatcher,
  notMatcher,
  patternMatcher,
  snapshotMatcher,
  unorderedMatcher,
];
