/** The relay of a single process: delivers messages immediately, and retains them if the config enables it. */
import { randomBytes } from 'node:crypto';
import type { RuntimeServices } from '../../../contract/deferred.js';
import type { Relay } from '../kind.js';
import { formatMessageId, parseMessageNumber, packMessage } from '../shared/messages.js';
import { createRing, RING_BYTES, type Ring } from '../shared/ring.js';
import type { RelaySettings } from '../shared/settings.js';

export interface LocalOptions extends RelaySettings {
  readonly deliver: RuntimeServices['deliverMessage'];
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

export interface LocalRelay extends Relay {
  clear(): void;
}

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
