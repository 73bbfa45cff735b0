/** Runtime of the relay `local`: reads its options. */
import { defineRuntime } from '../../../contract/plugin.js';
import { relay, type Relay } from '../kind.js';
import { readRelaySettings, type RelaySettings } from '../shared/settings.js';
import type { RuntimeServices } from '../../../contract/deferred.js';
import { randomBytes } from 'node:crypto';
import { createRing, RING_BYTES, type Ring } from '../shared/ring.js';
import { packMessage, formatMessageId, parseMessageNumber } from '../shared/messages.js';

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

interface LocalOptions extends RelaySettings {
  readonly deliver: RuntimeServices['deliverMessage'];
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

interface LocalRelay extends Relay {
  clear(): void;
}

/** Delivers messages immediately, and retains them if the config enables it. */
export function createLocal({ replay, keep, most, deliver, now }: LocalOptions): LocalRelay {
  const epoch = randomBytes(9).toString('base64url');
  const startRing = (): Ring => {
    const started = createRing({ keep, most, bytes: RING_BYTES, now });
    started.begin(0);
    return started;
  };
  let ring = startRing();
  return {
    clear: () => void (ring = startRing()),
    async publish(message) {
      const { bytes } = packMessage(message);
      if (!replay) return deliver({ ...message, id: null });
      const number = ring.latest() + 1;
      const kept = Object.freeze({ ...message, id: formatMessageId(epoch, number) });
      ring.add(number, kept, bytes);
      deliver(kept);
    },
    listSince(id) {
      const number = replay ? parseMessageNumber(id, epoch) : null;
      return Promise.resolve(number === null ? null : ring.listAfter(number));
    },
  };
}
