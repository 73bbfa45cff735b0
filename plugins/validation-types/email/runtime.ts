/** Judges e-mail addresses in linear time: an ordinary local part, a domain with a dot, at most 254 characters. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { validationType } from '../../kinds/validation-type.js';
import { judgeLength } from '../shared/length.js';
import { isEmail } from './email.js';

export default defineRuntime(validationType, {
  create: () => ({
    compile: (rule) => {
      const length = judgeLength(rule);
      return (value, pointer, issues) => {
        if (typeof value !== 'string' || !isEmail(value)) {
          issues.push({ pointer, code: 'email', detail: 'must be an e-mail address' });
        } else length?.(value, pointer, issues);
      };
    },
    sample: () => 'ada@example.com',
  }),
});
