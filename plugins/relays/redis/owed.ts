/**
 * Messages still to be sent to other processes, retained in order while the server is unavailable, within the bounds of the
 * relay. A message whose reply was lost is sent again only if it did not come back through the stream.
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
  /** The message came back through the stream, so the server has it. */
  delete(from: string): void;
  /** Sends the messages in order, including those added meanwhile; drops those that are too old. */
  pay(send: (one: Owed) => Promise<unknown>): Promise<number>;
}

/** `dropped` is called for each message that is discarded for lack of space or for its age. */
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
