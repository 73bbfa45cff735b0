/** How many bytes of its responses a client has taken, and the deadline that moves with them. */
import type { Clock } from './clock.js';

/** Node's socket, with the members of its handle, which may be absent. */
export interface CountedSocket {
  readonly bytesWritten: number;
  readonly writableLength: number;
  readonly _handle?: { readonly bytesWritten?: unknown; readonly writeQueueSize?: unknown } | null;
}

/**
 * Bytes that the system has accepted for the client so far. `bytesWritten` of a socket includes those that wait, and one large
 * write counts as unsent until its end.
 */
export function countTaken(socket: CountedSocket): number {
  const { bytesWritten, writeQueueSize } = socket._handle ?? {};
  return typeof bytesWritten === 'number' && typeof writeQueueSize === 'number'
    ? bytesWritten - writeQueueSize
    : socket.bytesWritten - socket.writableLength;
}

/** Bytes in a millisecond, 256 KiB in a second: a client that takes fewer reaches its deadline. */
const LEAST_PACE = 262.144;

/** Until when a request waits. A client that takes a streamed response is not waiting. */
export class MovingDeadline {
  #find: (() => number) | null = null;
  #movedAt: number | null = null;

  /** `patience`: milliseconds of the request, and in which a client must take something of a streamed response. */
  constructor(
    private own: number,
    private readonly patience: number,
  ) {}

  get current(): number {
    return this.#find?.() ?? this.own;
  }

  /** When the client was last seen to have taken something of a streamed response; null before. */
  get movedAt(): number | null {
    this.#find?.();
    return this.#movedAt;
  }

  extend(milliseconds: number): void {
    this.own += milliseconds;
  }

  /** The response is streamed. */
  followClient(clock: Pick<Clock, 'now'>, countBytes: () => number): void {
    const before = countBytes();
    let taken = 0;
    let movedAt = clock.now();
    this.#find = () => {
      const now = countBytes() - before;
      if (now > taken) [taken, movedAt] = [now, clock.now()];
      this.#movedAt = movedAt;
      return Math.max(this.own, Math.min(movedAt + this.patience, this.own + taken / LEAST_PACE));
    };
  }
}
