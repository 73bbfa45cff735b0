/**
 * The lifecycle of every queue: starts work in a serving process, drains it at shutdown, releases what does not finish in time.
 */
import type { PluginRuntime } from '../../../contract/plugin.js';
import type { Queue } from '../kind.js';

export const worker = {
  async serve(handle, { running }) {
    if (running !== undefined) await handle.work((...given) => running.resume(...given));
  },
  drain: (handle) => handle.rest(),
  abandon: (handle) => handle.abandon(),
  desk: (handle) => handle,
} satisfies PluginRuntime<Queue>;
