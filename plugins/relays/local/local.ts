/** The relay of a single process: delivers messages immediately, and retains them if the config enables it. */
import { randomBytes } from 'node:crypto';
import type { Running } from '../../../contract/deferred.js';
import type { Relay } from '../kind.js';
import { idOf, numberIn, pack } from '../shared/messages.js';
import { createRing, RING_BYTES } from '../shared/ring.js';
import type { RelaySettings } from '../shared/settings.js';

export interface LocalOptions extends RelaySettings {
  readonly deliver: Running['deliver'];
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

export function createLocal({ replay, keep, most, deliver, now }: LocalOptions): Relay {
  const epoch = randomBytes(9).toString('base64url');
  const ring = createRing({ keep, most, bytes: RING_BYTES, now });
  ring.begin(0);
  return {
    async publish(message) {
      const { bytes } = pack(message);
      if (!replay) return deliver({ ...message, id: null });
      const number = ring.latest() + 1;
      const kept = Object.freeze({ ...message, id: idOf(epoch, number) });
      ring.add(number, kept, bytes);
      deliver(kept);
    },
    since(id) {
      const number = replay ? numberIn(id, epoch) : null;
      return Promise.resolve(number === null ? null : ring.after(number));
    },
  };
}
