/** Validates an object and its fields. */
import { isObject } from '../../../contract/json.js';
import { defineRuntime } from '../../../contract/plugin.js';
import {
  pickBounds,
  createFieldsCanonicalizer,
  compileFields,
  createFieldsValidator,
  prefixPointers,
  sampleFields,
  type Rule,
} from '../shared/fields.light.js';
import { validationType } from '../kind.js';

export default defineRuntime(validationType, {
  create: ({ resolve }) => {
    const compileNestedFields = (rule: Rule) =>
      compileFields(rule['fields'], pickBounds(rule), (name) => resolve(validationType, name));
    return {
      compile: (rule) => {
        const validate = createFieldsValidator(compileNestedFields(rule), rule['closed'] === true);
        return (value, pointer, issues) => {
          if (!isObject(value)) {
            issues.push({ pointer, code: 'type', detail: 'must be an object' });
            return;
          }
          const start = issues.length;
          validate(value, issues);
          if (issues.length > start) prefixPointers(issues, start, pointer);
        };
      },
      canonical: (rule) => createFieldsCanonicalizer(compileNestedFields(rule)),
      sample: (rule) => sampleFields(compileNestedFields(rule)),
    };
  },
});
