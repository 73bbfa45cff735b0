/**
 * Bounds the bytes of unfinished messages over all connections of the process, and over those of one network: each message alone
 * may be small. Beyond a bound, the connection that holds the most is closed and its bytes are released at once.
 */
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';

export interface FrameBudget {
  /** `end` closes the connection. */
  watch(socket: WebSocket, raw: Socket, network: string, end: () => void): void;
  /** Bytes held at the moment. */
  readonly held: number;
}

interface Holder {
  readonly network: string;
  readonly end: () => void;
  bytes: number;
}

/** The share of one network. */
const SHARE = 1 / 4;
/** Of one chunk or fragment, beside its bytes. */
const OVERHEAD = 128;

const readNumber = (of: object, name: string): number => {
  const value: unknown = Reflect.get(of, name);
  if (typeof value !== 'number') throw new TypeError(`ws keeps no ${name}`);
  return value;
};
const readLength = (of: object, name: string): number => {
  const value: unknown = Reflect.get(of, name);
  if (!Array.isArray(value)) throw new TypeError(`ws keeps no ${name}`);
  return value.length;
};

/** `ws` has no public figure for what it holds; the tests fail where a version keeps it elsewhere. */
function measureHeld(socket: WebSocket): number {
  const receiver: unknown = Reflect.get(socket, '_receiver');
  if (typeof receiver !== 'object' || receiver === null) return 0;
  const pieces = readLength(receiver, '_buffers') + readLength(receiver, '_fragments');
  return readNumber(receiver, '_bufferedBytes') + readNumber(receiver, '_messageLength') + pieces * OVERHEAD;
}

export function createFrameBudget(most: number): FrameBudget {
  /** Only connections with an unfinished message. */
  const holders = new Set<Holder>();
  const networks = new Map<string, number>();
  let total = 0;

  function setHeld(holder: Holder, bytes: number): void {
    const change = bytes - holder.bytes;
    if (change === 0) return;
    holder.bytes = bytes;
    total += change;
    const left = (networks.get(holder.network) ?? 0) + change;
    if (left > 0) networks.set(holder.network, left);
    else networks.delete(holder.network);
    if (bytes > 0) holders.add(holder);
    else holders.delete(holder);
  }

  function endHeaviest(network: string | null): void {
    let heaviest: Holder | null = null;
    for (const one of holders)
      if ((network === null || one.network === network) && one.bytes > (heaviest?.bytes ?? 0)) heaviest = one;
    if (heaviest === null) return;
    setHeld(heaviest, 0);
    heaviest.end();
  }

  return {
    watch(socket, raw, network, end) {
      let isOver = false;
      const holder: Holder = {
        network,
        bytes: 0,
        end() {
          isOver = true;
          end();
          // A client that goes on sending is not read to its close frame.
          raw.destroySoon();
        },
      };
      // Called after the listener of `ws`, so that complete messages are gone.
      raw.on('data', () => {
        if (isOver) return;
        setHeld(holder, measureHeld(socket));
        if ((networks.get(network) ?? 0) > most * SHARE) endHeaviest(network);
        if (total > most) endHeaviest(null);
      });
      raw.once('close', () => {
        isOver = true;
        setHeld(holder, 0);
      });
    },
    get held() {
      return total;
    },
  };
}
