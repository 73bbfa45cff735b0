/**
 * Transactional outbox for a queue outside the database of the request: jobs are written in its transaction and
 * transferred after the commit. A row is removed once the queue has the job, so no crash loses one.
 */
import type { DeferredJob, JobEntry } from '../../../contract/deferred.js';
import { Fault, createFault } from '../../../contract/fault.js';
import { isObject } from '../../../contract/json.js';
import type { Log } from '../../../contract/plugin.js';
import { fillMessage } from '../../../contract/problem.js';
import { parseExactJson, writeJson } from '../../../language/strings/exact-json.js';
import type { Dialect } from '../../dialects/kind.js';
import { BATCH, createOutboxSql, type OutboxRow, type OutboxSql } from './outbox-sql.js';
import { queueErrors, type Queue } from '../../queues/kind.js';

export interface Outbox {
  add(work: readonly JobEntry[], transaction: unknown): Promise<void>;
  /** Removes the row before the job runs, so that it is not transferred again after a crash. */
  begin(work: DeferredJob): Promise<void>;
  /** Schedules a transfer after a commit, without waiting for it. */
  scheduleTransfer(): void;
  /** Creates the table and starts the sweep. */
  serve(): Promise<void>;
  /** Stops the sweep and waits for the one in progress. */
  stop(): Promise<void>;
}

export interface OutboxInput {
  readonly connection: Dialect;
  readonly queue: Pick<Queue, 'add' | 'moveToDeadLetter' | 'sealing'>;
  readonly log: Log;
  /** Milliseconds between two sweeps. */
  readonly pause?: number;
}

const PAUSE = 5000;
/** Null for a row that was altered. */
function parseJob(body: string | null): JobEntry | null {
  let read: unknown;
  try {
    read = parseExactJson(body ?? '');
  } catch {
    return null;
  }
  return isJobEntry(read) ? read : null;
}

function isJobEntry(read: unknown): read is JobEntry {
  if (!isObject(read)) return false;
  const { work, delay, priority, retries } = read;
  return [delay, priority, retries].every(Number.isFinite) && isObject(work) && typeof work['id'] === 'string';
}

export function createOutbox({ connection, queue, log, pause = PAUSE }: OutboxInput): Outbox {
  /** Rows are encrypted where the queue encrypts. */
  const sealJob = (one: JobEntry): string => {
    const text = writeJson(one) ?? 'null';
    return queue.sealing?.seal(one.work.id, text) ?? text;
  };
  const openJob = ({ place, id, body }: OutboxRow): JobEntry | null => {
    const put = parseJob(queue.sealing === undefined ? body : queue.sealing.open(id, body));
    return put && { ...put, work: { ...put.work, row: place } };
  };
  let made = false;
  let resting = false;
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> | null = null;
  let again = false;
  let failing = false;

  let known: Promise<OutboxSql> | null = null;
  /** Detects the database once, and retries after a failure. */
  const resolveSql = (transaction: unknown): Promise<OutboxSql> =>
    (known ??= createOutboxSql(connection, transaction).catch((error: unknown) => {
      known = null;
      throw error;
    }));

  /** Returns true when there may be more rows. */
  async function transferBatch(): Promise<boolean> {
    const sql = await resolveSql(null);
    const rows = await sql.claimRows();
    made = true;
    if (rows.length === 0) return false;
    try {
      await transferRows(rows);
    } catch (error) {
      await sql.releaseRows(rows);
      throw error;
    }
    return rows.length === BATCH;
  }

  async function transferRows(rows: readonly OutboxRow[]): Promise<void> {
    const refused = await findRejection(rows);
    if (refused === null) await (await resolveSql(null)).remove(rows);
    // A rejected job must not block the others.
    else if (rows.length > 1) for (const row of rows) await transferRows([row]);
    else await deadLetterRows(rows, refused);
  }

  /** Moves rejected jobs to the dead letters; rows that cannot be parsed stay, marked as rejected. */
  async function deadLetterRows(rows: readonly OutboxRow[], { code, params }: Fault): Promise<void> {
    const jobs = rows.map(({ id }) => id);
    const work = rows.flatMap((row) => openJob(row) ?? []);
    if (queue.moveToDeadLetter === undefined || work.length !== rows.length) {
      log.error({ jobs, code }, 'outbox jobs rejected by the queue; they stay in the outbox');
      await (await resolveSql(null)).markRejected(rows, code);
      return;
    }
    const { message } = (queueErrors as Readonly<Record<string, { message: string }>>)[code] ?? queueErrors.JOB_FAILED;
    for (const one of work) await queue.moveToDeadLetter(one, { code, detail: fillMessage(message, params) });
    log.error({ jobs, code }, 'outbox jobs rejected by the queue; they are dead');
    await (await resolveSql(null)).remove(rows);
  }

  /** Why the queue rejects the rows; null once it has them. */
  async function findRejection(rows: readonly OutboxRow[]): Promise<Fault | null> {
    const work = rows.flatMap((row) => openJob(row) ?? []);
    if (work.length !== rows.length) return createFault('JOB_BROKEN');
    try {
      await queue.add(work);
      return null;
    } catch (error) {
      if (error instanceof Fault && error.options.retryable !== true && error.code !== 'JOB_AWAY') return error;
      throw error;
    }
  }

  async function transferAll(): Promise<void> {
    try {
      do again = false;
      while (((await transferBatch()) || again) && !resting);
      if (failing) log.info({}, 'outbox flush available');
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'outbox flush failed, retrying');
      failing = true;
    }
  }

  function startTransfer(): void {
    if (resting) return;
    if (sweeping !== null) again = true;
    else {
      sweeping = transferAll().finally(() => {
        sweeping = null;
        if (again) startTransfer();
      });
    }
    timer ??= setInterval(startTransfer, pause).unref();
  }

  return {
    async add(work, transaction) {
      const sql = await resolveSql(transaction);
      if (!made) await sql.make(transaction);
      for (const one of work) await sql.add(one.work.id, sealJob(one), transaction);
    },
    async begin({ row, id }) {
      if (row !== undefined) await (await resolveSql(null)).removeOne({ place: row, id });
    },
    // While the queue is unavailable, only the periodic sweep retries.
    scheduleTransfer: () => {
      if (!failing) startTransfer();
    },
    async serve() {
      try {
        await (await resolveSql(null)).make(null);
      } catch (error) {
        // The first job creates the table then.
        log.warn({ err: error }, 'outbox table not created yet');
      }
      startTransfer();
    },
    async stop() {
      resting = true;
      clearInterval(timer);
      await sweeping;
    },
  };
}
