/** Validates text: its type, then its length in code points. */
import { defineRuntime } from '../../../contract/plugin.js';
import { validationType } from '../kind.js';
import { textForm } from '../shared/canonical.js';
import { judgeLength, sampleText } from '../shared/length.js';

export default defineRuntime(validationType, {
  create: () => ({
    compile: (rule) => {
      const length = judgeLength(rule);
      return (value, pointer, issues) => {
        if (typeof value !== 'string') issues.push({ pointer, code: 'type', detail: 'must be text' });
        else length?.judge(value, pointer, issues);
      };
    },
    canonical: textForm,
    sample: (rule) => sampleText(rule, 'text'),
  }),
});
