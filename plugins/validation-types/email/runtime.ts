/** Validates e-mail addresses in linear time. */
import type { Json } from '../../../contract/json.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { validationType } from '../kind.js';
import { createTextCanonicalizer } from '../shared/canonical.js';
import { createLengthCheck } from '../shared/length.js';

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

/** Validates e-mail addresses (RFC 5321 without quoted local parts and address literals). */
const MAX_ADDRESS = 254;
const MAX_LOCAL = 64;
const MAX_LABEL = 63;
/** RFC 5322 `atext` with the characters beyond ASCII of RFC 6531. */
const ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+$/u;
const LABEL = /^[A-Za-z0-9\u00a1-\u{10ffff}](?:[A-Za-z0-9\u00a1-\u{10ffff}-]*[A-Za-z0-9\u00a1-\u{10ffff}])?$/u;

/** RFC 5321 without quoted local parts and address literals. */
function isEmail(text: string): boolean {
  if (text.length > MAX_ADDRESS || !text.isWellFormed()) return false;
  const at = text.lastIndexOf('@');
  if (at < 1 || at > MAX_LOCAL) return false;
  if (
    !text
      .slice(0, at)
      .split('.')
      .every((atom) => ATOM.test(atom))
  )
    return false;
  const labels = text.slice(at + 1).split('.');
  if (labels.length < 2) return false;
  return labels.every((label) => label.length <= MAX_LABEL && LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '');
}
