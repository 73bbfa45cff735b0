/** Runtime of the relay `local`: reads its options. */
import { defineRuntime } from '../../../contract/plugin.js';
import { relay, type Relay } from '../kind.js';
import { readRelaySettings } from '../shared/settings.js';
import { createLocal, type LocalRelay } from './local.js';

export default defineRuntime<Relay, LocalRelay>(relay, {
  create: ({ options, running }) =>
    createLocal({
      ...readRelaySettings(options),
      deliver: (message) => running?.deliverMessage(message),
      now: () => performance.now(),
    }),

  openTestStore: (handle) => ({ reset: async () => handle.clear() }),

  open(handle, { options, running }) {
    if (readRelaySettings(options).replay) running?.registerReplay((id) => handle.listSince(id));
    return Promise.resolve();
  },
});
