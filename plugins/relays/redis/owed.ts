/**
 * Messages retained for other processes while the server is unavailable. One with a lost reply is sent again only if it did not
 * come back through the stream.
 */
import { RING_BYTES } from '../shared/ring.js';

export interface Owed {
  readonly from: string;
  readonly text: string;
  /** Monotonic milliseconds. */
  readonly at: number;
}

export interface OwedMessages {
  readonly size: () => number;
  add(one: Owed): void;
  /** The message came back, so the server has it. */
  delete(from: string): void;
  /** In order, including those added meanwhile; drops those that are too old. */
  pay(send: (one: Owed) => Promise<unknown>): Promise<number>;
}

/** `dropped`: called for each message discarded for lack of space or for its age. */
export function createOwed(most: number, keep: number, dropped: () => void): OwedMessages {
  const all = new Map<string, Owed>();
  let bytes = 0;
  const remove = (from: string): void => {
    bytes -= all.get(from)?.text.length ?? 0;
    all.delete(from);
  };
  const drop = (from: string): void => {
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
        drop(from);
      }
    },
    delete: remove,
    async pay(send) {
      let count = 0;
      for (const one of all.values()) {
        if (performance.now() - one.at > keep) drop(one.from);
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
