/** Runtime of the relay `local`: reads its options. */
import { defineRuntime } from '../../../contract/plugin.js';
import { relay } from '../kind.js';
import { settingsOf } from '../shared/settings.js';
import { createLocal } from './local.js';

export default defineRuntime(relay, {
  create: ({ options, running }) =>
    createLocal({
      ...settingsOf(options),
      deliver: (message) => running?.deliver(message),
      now: () => performance.now(),
    }),

  open(handle, { options, running }) {
    if (settingsOf(options).replay) running?.replays((id) => handle.since(id));
    return Promise.resolve();
  },
});
