/** A connection, as statements use it and the pool holds it, and a caller that waits for one. */
import type { Connection, FieldPacket } from 'mysql2';
import type { ReleaseSlot } from '../../../contract/limiter.js';
import type { Requester } from '../../../contract/requester.js';
import type { ServerFlavour } from './types.js';
import type { BoundValue } from './bind.js';
import type { StatementResult } from './statement-result.js';

export interface RowReceiver {
  setFields(fields: readonly FieldPacket[]): void;
  /** An error ends the statement. */
  addRow(values: readonly unknown[]): void;
  /** The time which the receiver takes does not count. */
  readonly isPassedOn: boolean;
}

export interface RowSource {
  /** May be called again while paused. */
  pause(): void;
  resume(): void;
  /** May be called after the end. */
  cancel(): void;
}

export interface MysqlConnection {
  readonly flavour: ServerFlavour;
  /** `isTransient`: the connection keeps nothing of the statement. */
  run(text: string, values: readonly BoundValue[], isTransient?: boolean): Promise<StatementResult>;
  /** Ends at the first error, also of the receiver; the connection may then be closed. */
  stream(text: string, values: readonly BoundValue[], begin: (source: RowSource) => RowReceiver): Promise<void>;
  runCommand(text: string): Promise<void>;
  /** Codes of the warnings of the last statement. */
  readWarnings(): Promise<readonly number[]>;
}

export interface Lease {
  readonly wire: MysqlConnection;
  readonly release: (broken: boolean) => void;
}

export interface Member extends MysqlConnection {
  readonly connection: Connection;
  lost: boolean;
  since: number;
  /** Deadline of the lease holder, in the time of `performance.now`. */
  until: number;
  requester: Requester | null;
  /** Bytes of the current result, and of the next check. */
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
