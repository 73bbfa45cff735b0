/** Kind `matcher`: what an object such as `{"$any": "uuid"}` accepts in a test. Several must all match. */
import type { Json, JsonObject } from '../../contract/json.js';
import { defineKind } from '../../contract/kind.js';
import type { Matcher } from '../../contract/matcher.js';
import { Slot } from '../../contract/slot.js';

export const matcher = defineKind<Matcher>({
  kind: 'matcher',
  title: 'Matcher',
  summary: 'What a test accepts in place of one value: `{"$any": "uuid"}`.',
  slots: [Slot.MATCHER],
  select: { by: 'key', pick: 'many' },
  facts: {},
  handle: ['match'],
  host: (fragment, { name }) => ({
    file: 'test',
    json: wrapInTest({ [name]: fragment }),
    at: `/cases/0/steps/0/expect/body/${name}`,
  }),
});

const wrapInTest = (body: Json): JsonObject => ({
  id: 'example',
  cases: [{ id: 'example', steps: [{ request: { path: '/' }, expect: { body } }] }],
});
