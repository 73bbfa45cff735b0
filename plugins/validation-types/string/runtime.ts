/** Validates text: its type, then its length in code points. */
import { defineRuntime } from '../../../contract/plugin.js';
import { validationType } from '../kind.js';
import { createTextCanonicalizer } from '../shared/canonical.js';
import { createLengthCheck, sampleText } from '../shared/length.js';

export default defineRuntime(validationType, {
  create: () => ({
    compile: (rule) => {
      const length = createLengthCheck(rule);
      return (value, pointer, issues) => {
        if (typeof value !== 'string') issues.push({ pointer, code: 'type', detail: 'must be text' });
        else length?.validate(value, pointer, issues);
      };
    },
    canonical: createTextCanonicalizer,
    sample: (rule) => sampleText(rule, 'text'),
  }),
});
