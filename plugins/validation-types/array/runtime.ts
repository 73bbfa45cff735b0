/** Validates a list, its length, and each item, which must be an object. */
import { defineRuntime } from '../../../contract/plugin.js';
import {
  pickBounds,
  createFieldsCanonicalizer,
  createItemsCanonicalizer,
  compileFields,
  createFieldsValidator,
  createItemsValidator,
  sampleFields,
  type Rule,
} from '../shared/fields.light.js';
import { validationType } from '../kind.js';
import { createCountCheck, sampleCount } from '../shared/count.js';

export default defineRuntime(validationType, {
  create: ({ resolve }) => {
    const compileNestedFields = (rule: Rule) =>
      compileFields(rule['fields'], pickBounds(rule), (name) => resolve(validationType, name));
    return {
      compile: (rule) => {
        const validateItems = createItemsValidator(
          createFieldsValidator(compileNestedFields(rule), rule['closed'] === true),
        );
        const isCounted = createCountCheck(rule);
        return (value, pointer, issues) => {
          if (!Array.isArray(value)) issues.push({ pointer, code: 'type', detail: 'must be a list of objects' });
          else if (isCounted(value.length, pointer, issues)) validateItems(value, pointer, issues);
        };
      },
      canonical: (rule) => createItemsCanonicalizer(createFieldsCanonicalizer(compileNestedFields(rule))),
      sample: (rule) => Array.from({ length: sampleCount(rule) }, () => sampleFields(compileNestedFields(rule))),
    };
  },
});
