/** Compiles and runs the parts of resources: jobs of a queue, and scheduled runs. */
import { defineRuntime } from '../../../contract/plugin.js';
import { trigger } from '../kind.js';
import { createPartRunner } from './runner.js';

export default defineRuntime(trigger, {
  register(hooks, { running, log }) {
    if (running !== undefined) hooks.registerPartRunner(createPartRunner(running, log));
  },
});
