/** Validates a list, its length, and each item, which must be an object. */
import { defineRuntime } from '../../../contract/plugin.js';
import {
  boundsOf,
  canonicalFields,
  canonicalItems,
  compileFields,
  judgeFields,
  judgeItems,
  sampleFields,
  type Rule,
} from '../shared/fields.light.js';
import { validationType } from '../kind.js';
import { judgeCount, sampleCount } from '../shared/count.js';

export default defineRuntime(validationType, {
  create: ({ resolve }) => {
    const fieldsOf = (rule: Rule) =>
      compileFields(rule['fields'], boundsOf(rule), (name) => resolve(validationType, name));
    return {
      compile: (rule) => {
        const judgeEach = judgeItems(judgeFields(fieldsOf(rule), rule['closed'] === true));
        const isCounted = judgeCount(rule);
        return (value, pointer, issues) => {
          if (!Array.isArray(value)) issues.push({ pointer, code: 'type', detail: 'must be a list of objects' });
          else if (isCounted(value.length, pointer, issues)) judgeEach(value, pointer, issues);
        };
      },
      canonical: (rule) => canonicalItems(canonicalFields(fieldsOf(rule))),
      sample: (rule) => Array.from({ length: sampleCount(rule) }, () => sampleFields(fieldsOf(rule))),
    };
  },
});
