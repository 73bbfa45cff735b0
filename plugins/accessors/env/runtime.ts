/** The environment at startup; the value is a constant of the plan. */
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { accessor } from '../kind.js';

export default defineRuntime(accessor, {
  create: ({ env }) => ({
    compile: ([name = '']) => {
      const value = env(name);
      if (value === undefined || value === '') throw new BootError('ENV_MISSING', { name });
      return { constant: true, read: () => value };
    },
  }),
});
