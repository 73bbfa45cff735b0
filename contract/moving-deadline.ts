/** The bytes of responses that a client has taken, and the deadline that moves with them. */
import type { Clock } from './clock.js';

/** Node's socket, with the members of its handle. */
export interface CountedSocket {
  readonly bytesWritten: number;
  readonly writableLength: number;
  readonly _handle?: { readonly bytesWritten?: unknown; readonly writeQueueSize?: unknown } | null;
}

/** Bytes that the system has accepted for the client. `bytesWritten` includes those that wait. */
export function countSent(socket: CountedSocket): number {
  const { bytesWritten, writeQueueSize } = socket._handle ?? {};
  return typeof bytesWritten === 'number' && typeof writeQueueSize === 'number'
    ? bytesWritten - writeQueueSize
    : socket.bytesWritten - socket.writableLength;
}

/** Bytes in a millisecond (256 KiB in a second): a slower client reaches its deadline. */
const LEAST_PACE = 262.144;

/** A client that takes a streamed response is not waiting. */
export class MovingDeadline {
  #find: (() => number) | null = null;
  #movedAt: number | null = null;

  /** `patience`: milliseconds in which a client must take something of a streamed response. */
  constructor(
    private own: number,
    private readonly patience: number,
  ) {}

  get current(): number {
    return this.#find?.() ?? this.own;
  }

  /** When the client last took something of a stream. */
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
