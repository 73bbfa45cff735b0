/** Runtime of the relay `local`: reads its options. */
import { defineRuntime } from '../../../contract/plugin.js';
import { relay } from '../kind.js';
import { readRelaySettings } from '../shared/settings.js';
import { createLocal } from './local.js';

export default defineRuntime(relay, {
  create: ({ options, running }) =>
    createLocal({
      ...readRelaySettings(options),
      deliver: (message) => running?.deliverMessage(message),
      now: () => performance.now(),
    }),

  open(handle, { options, running }) {
    if (readRelaySettings(options).replay) running?.registerReplay((id) => handle.listSince(id));
    return Promise.resolve();
  },
});
