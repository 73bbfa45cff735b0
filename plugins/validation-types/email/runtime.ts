/** Validates e-mail addresses in linear time. */
import type { Json } from '../../../contract/json.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { validationType } from '../kind.js';
import { createTextCanonicalizer } from '../shared/canonical.js';
import { createLengthCheck } from '../shared/length.js';
import { isEmail } from './email.js';

const USUAL = 'ada@example.com';
const SHORT = 'a@b.co';
/** A local part has at most 64 characters, of which the sample uses three. */
const ROOM = 61;

export default defineRuntime(validationType, {
  create: () => ({
    compile: (rule) => {
      const length = createLengthCheck(rule);
      return (value, pointer, issues) => {
        if (typeof value !== 'string' || !isEmail(value)) {
          issues.push({ pointer, code: 'email', detail: 'must be an e-mail address' });
        } else length?.validate(value, pointer, issues);
      };
    },
    canonical: createTextCanonicalizer,
    sample: sampleEmail,
  }),
});

/** An address within the bounds of the rule, as far as an address allows. */
function sampleEmail({ min_length: min, max_length: max }: Readonly<Record<string, Json>>): string {
  const address = typeof max === 'number' && max < USUAL.length ? SHORT : USUAL;
  return typeof min === 'number' ? address.padStart(Math.min(min, address.length + ROOM), 'a') : address;
}
