/**
 * Messages retained while the server is unavailable. One with a lost reply is sent again only if it did not come
 * back.
 */
import { RING_BYTES } from '../shared/ring.js';

export interface PendingMessage {
  readonly from: string;
  readonly text: string;
  /** Monotonic milliseconds. */
  readonly at: number;
}

export interface PendingMessages {
  readonly size: () => number;
  add(one: PendingMessage): void;
  /** The message came back, so the server has it. */
  delete(from: string): void;
  /** In order, including those added meanwhile; drops those that are too old. */
  sendAll(send: (one: PendingMessage) => Promise<unknown>): Promise<number>;
}

/** `dropped`: called for each message discarded for lack of space or for its age. */
export function createPendingMessages(most: number, keep: number, dropped: () => void): PendingMessages {
  const all = new Map<string, PendingMessage>();
  let bytes = 0;
  const remove = (from: string): void => {
    bytes -= all.get(from)?.text.length ?? 0;
    all.delete(from);
  };
  const dropMessage = (from: string): void => {
    remove(from);
    dropped();
  };
  return {
    size: () => all.size,
    add(one) {
      all.set(one.from, one);
      bytes += one.text.length;
      for (const from of all.keys()) {
        if (all.size <= most && bytes <= RING_BYTES) break;
        dropMessage(from);
      }
    },
    delete: remove,
    async sendAll(send) {
      let count = 0;
      for (const one of all.values()) {
        if (performance.now() - one.at > keep) dropMessage(one.from);
        else {
          await send(one);
          remove(one.from);
          count += 1;
        }
      }
      return count;
    },
  };
}
