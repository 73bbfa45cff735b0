/** Receives the rows of a statement one by one. While the receiver pauses, the server waits. */
import type { Connection, FieldPacket } from 'mysql2';
import { createFault } from '../../../contract/fault.js';
import type { Requester } from '../../../contract/requester.js';
import type { BoundValue } from './bind.js';
import { OverdueError, ResultAbortedError } from './errors.js';
import type { RowReceiver, RowSource } from './connection.js';

export interface StreamContext {
  readonly connection: Connection;
  /** The deadline that the request began with, in the time of `performance.now`. */
  readonly until: number;
  readonly requester: Requester | null;
  /** Milliseconds in which a server sends something. */
  readonly silence: number;
  /** Requests wait, and no other connection has ended for them. */
  readonly mustYield: () => boolean;
  /** Ends the statement and closes the connection. */
  readonly end: () => void;
  /** Called when the receiver decides how long the statement takes. */
  readonly recordPassedOn: () => void;
  /** Bounds the result until the call of what it returns. */
  readonly limit: (refuse: (error: unknown) => void) => (rows: number) => unknown;
}

const WATCH_MS = 100;
/** Milliseconds for which a receiver that takes nothing may keep a connection that others wait for. */
const PAUSE_MS = 1000;

export function streamRows(
  context: StreamContext,
  text: string,
  values: readonly BoundValue[],
  begin: (source: RowSource) => RowReceiver,
): Promise<void> {
  const { connection, until, requester, silence, mustYield, end, recordPassedOn, limit } = context;
  return new Promise((resolve, reject) => {
    let isOver = false;
    let movedAt = performance.now();
    let pausedAt = Infinity;

    const finishStream = (error: Error | null): void => {
      if (isOver) return;
      isOver = true;
      clearInterval(watch);
      connection.removeListener('error', fail);
      stopLimit(0);
      setPaused(false);
      if (error === null) resolve();
      else reject(error);
    };
    const fail = (error: unknown): void =>
      finishStream(error instanceof Error ? error : new Error('the driver failed', { cause: error }));
    const abort = (error: Error): void => {
      if (isOver) return;
      end();
      finishStream(error);
    };
    function setPaused(isPaused: boolean): void {
      if (isPaused === pausedAt < Infinity) return;
      movedAt = performance.now();
      pausedAt = isPaused ? movedAt : Infinity;
      if (isPaused) connection.pause();
      else connection.resume();
    }

    const receiver = begin({
      pause: () => void (isOver || setPaused(true)),
      resume: () => void (isOver || setPaused(false)),
      cancel: () => abort(new OverdueError('the result is not needed')),
    });
    const watch = setInterval(() => {
      const now = performance.now();
      const still = now - Math.max(pausedAt, requester?.invocation.movedAt ?? 0);
      // A receiver that takes the text is not waiting for it.
      const last = receiver.isPassedOn ? Math.max(until, requester?.invocation.deadline ?? 0) : until;
      if (now > last || (pausedAt === Infinity && now - movedAt > silence))
        abort(new OverdueError('no answer in time'));
      else if (receiver.isPassedOn && (still > PAUSE_MS || now > until) && mustYield())
        abort(new ResultAbortedError(createFault('QRY_UNAVAILABLE', {}, { retryable: true })));
    }, WATCH_MS);
    watch.unref();

    const stopLimit = limit(fail);
    // Without a callback, a command does not learn of a loss.
    connection.once('error', fail);
    connection
      .execute(text, values as never)
      .on('fields', (fields: unknown) => receiver.setFields(fields as readonly FieldPacket[]))
      .on('result', (row: unknown) => {
        if (isOver || !Array.isArray(row)) return;
        movedAt = performance.now();
        try {
          receiver.addRow(row);
          if (!receiver.isPassedOn) return;
          stopLimit(0);
          recordPassedOn();
        } catch (error) {
          abort(error as Error);
        }
      })
      .on('error', fail)
      .on('end', () => finishStream(null));
  });
}
