/** The state of a connection of the pool, and of a caller that waits for one. */
import type { Connection } from 'mysql2';
import type { ReleaseSlot } from '../../../contract/limiter.js';
import type { Requester } from '../../../contract/requester.js';
import type { Lease, MysqlConnection } from './pool.js';

export interface Member extends MysqlConnection {
  readonly connection: Connection;
  lost: boolean;
  since: number;
  /** Deadline of the lease holder, in the time of `performance.now`. */
  until: number;
  asker: Requester | null;
  /** Bytes of the current result, and the number at which the next check is due. */
  read: number;
  nextCheck: number;
  checkSize: (() => void) | null;
  leave: ReleaseSlot;
  /** A client determines how long the lease lasts. */
  isPassedOn: boolean;
}

export interface Waiter {
  readonly take: (lease: Lease) => void;
  readonly fail: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}
