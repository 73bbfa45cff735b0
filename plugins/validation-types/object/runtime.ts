/** Validates an object and its fields. */
import { isObject } from '../../../contract/json.js';
import { defineRuntime } from '../../../contract/plugin.js';
import {
  boundsOf,
  canonicalFields,
  compileFields,
  judgeFields,
  putInside,
  sampleFields,
  type Rule,
} from '../shared/fields.light.js';
import { validationType } from '../kind.js';

export default defineRuntime(validationType, {
  create: ({ resolve }) => {
    const fieldsOf = (rule: Rule) =>
      compileFields(rule['fields'], boundsOf(rule), (name) => resolve(validationType, name));
    return {
      compile: (rule) => {
        const judge = judgeFields(fieldsOf(rule), rule['closed'] === true);
        return (value, pointer, issues) => {
          if (!isObject(value)) {
            issues.push({ pointer, code: 'type', detail: 'must be an object' });
            return;
          }
          const start = issues.length;
          judge(value, issues);
          if (issues.length > start) putInside(issues, start, pointer);
        };
      },
      canonical: (rule) => canonicalFields(fieldsOf(rule)),
      sample: (rule) => sampleFields(fieldsOf(rule)),
    };
  },
});
