/**
 * What every queue does in the life of a process: takes up work where the process serves, rests at its end, gives back what
 * there is no time for, and shows operators what it holds. Stores nothing.
 */
import type { PluginRuntime } from '../../../kernel/contract/plugin.js';
import type { Queue } from '../../kinds/queue.js';

export const worker = {
  async serve(handle, { running }) {
    if (running !== undefined) await handle.work((...given) => running.resume(...given));
  },
  drain: (handle) => handle.rest(),
  abandon: (handle) => handle.abandon(),
  desk: (handle) => handle,
} satisfies PluginRuntime<Queue>;
