/** The lifecycle of every queue: starts work, drains it at shutdown, releases what does not finish. */
import type { PluginRuntime } from '../../../contract/plugin.js';
import type { Queue } from '../kind.js';

export const worker = {
  async serve(handle, { running }) {
    if (running !== undefined) await handle.startWorker((...given) => running.runJob(...given));
  },
  drain: (handle) => handle.drain(),
  releaseClaims: (handle) => handle.releaseClaims(),
  createJobAdmin: (handle) => handle,
} satisfies PluginRuntime<Queue>;
