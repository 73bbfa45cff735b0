/** Validates a list, its length, and each item, which must be text. */
import { defineRuntime } from '../../../contract/plugin.js';
import { createItemsCanonicalizer, MAX_ISSUES } from '../shared/fields.light.js';
import { validationType } from '../kind.js';
import { createTextCanonicalizer } from '../shared/canonical.js';
import { createCountCheck, sampleCount } from '../shared/count.js';
import { createLengthCheck, sampleText } from '../shared/length.js';

export default defineRuntime(validationType, {
  create: () => ({
    compile: (rule) => {
      const isCounted = createCountCheck(rule);
      const length = createLengthCheck(rule, 'items_');
      return (value, pointer, issues) => {
        if (!Array.isArray(value)) {
          issues.push({ pointer, code: 'type', detail: 'must be a list of texts' });
          return;
        }
        const items: readonly unknown[] = value;
        if (!isCounted(items.length, pointer, issues)) return;
        for (let i = 0; i < items.length && issues.length < MAX_ISSUES; i++) {
          const item = items[i];
          if (typeof item !== 'string')
            issues.push({ pointer: `${pointer}/${i}`, code: 'type', detail: 'must be text' });
          else if (length?.isOutside(item)) length.validate(item, `${pointer}/${i}`, issues);
        }
      };
    },
    fromText: (sent) => (typeof sent === 'string' ? [sent] : sent),
    canonical: (rule) => {
      const [each, form] = [createItemsCanonicalizer(createTextCanonicalizer(rule)), createTextCanonicalizer(rule)];
      // A single query string value becomes a list of one.
      return each && form && ((value) => (typeof value === 'string' ? form(value) : each(value)));
    },
    sample: (rule) => Array.from({ length: sampleCount(rule) }, () => sampleText(rule, 'text', 'items_')),
  }),
});
