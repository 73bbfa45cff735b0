/**
 * Messages that others are still to get: kept in their order while the server is away, no more, no larger and no older together than
 * what the relay keeps for clients. Of one whose answer was lost nobody knows whether the server has it: it is sent again only when it
 * did not come back.
 */
import { RING_BYTES } from '../shared/ring.js';

export interface Owed {
  readonly from: string;
  readonly text: string;
  /** Of the clock that never jumps. */
  readonly at: number;
}

export interface OwedMessages {
  readonly size: () => number;
  add(one: Owed): void;
  /** It came back: the server has it. */
  delete(from: string): void;
  /** Sends them in their order, those too that are added meanwhile; what is too old is dropped. */
  pay(send: (one: Owed) => Promise<unknown>): Promise<number>;
}

/** `dropped`: there is no room, or no time. */
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
