/**
 * Records finished steps of a job in the database of the step, within its transaction. Notes are removed when the job ends, or
 * later by the sweep after a crash, and encrypted where the queue encrypts.
 */
import { createHash } from 'node:crypto';
import type { Inbox, Note } from '../../../contract/deferred.js';
import { Fault, createFault } from '../../../contract/fault.js';
import type { SharedUnit } from '../../../contract/plan.js';
import type { Log } from '../../../contract/plugin.js';
import { parseExactJson, writeJson } from '../../../language/strings/exact-json.js';
import type { Queue } from '../../queues/kind.js';
import type { InboxStore } from './inbox-stores.js';

export interface SweepableInbox extends Inbox {
  /** Removes notes of jobs that no longer exist. Never rejects. */
  sweepNotes(): Promise<void>;
}

const hashText = (text: string): string => createHash('sha256').update(text).digest('hex');

/** `of` returns the transaction handle of a unit. */
export function createInbox(
  store: InboxStore,
  of: SharedUnit['of'],
  queue: () => Pick<Queue, 'show' | 'sealing'>,
  log: Log,
): SweepableInbox {
  let made: Promise<void> | null = null;
  /** Outside any transaction, because DDL commits the open transaction on MySQL. */
  const ensureTable = (): Promise<void> =>
    (made ??= store.make().catch((error: unknown) => {
      made = null;
      throw error;
    }));
  const sealNote = (job: string, note: Note): string => {
    const text = writeJson(note) ?? 'null';
    return queue().sealing?.seal(job, text) ?? text;
  };
  /** An unreadable note never counts as a finished step. */
  const openNote = (job: string, body: string): unknown => {
    const { sealing } = queue();
    try {
      return parseExactJson((sealing === undefined ? body : sealing.open(job, body)) ?? 'null');
    } catch {
      return null;
    }
  };
  return {
    ready: ensureTable,
    async read(job) {
      return (await store.read(hashText(job))).map((body) => openNote(job, body));
    },
    async write(job, note: Note, unit) {
      const row = { job: hashText(job), step: hashText(note.actions.at(-1) ?? ''), id: job, body: sealNote(job, note) };
      try {
        await store.add(row, of(unit));
      } catch (error) {
        // Another process committed the step meanwhile; the next attempt reads the note.
        throw error instanceof Fault && error.code === 'QRY_UNIQUE' ? createFault('JOB_STOPPED') : error;
      }
    },
    forget: (job) => store.remove(hashText(job)),
    async sweepNotes() {
      try {
        await ensureTable();
        for (const id of await store.listOldJobs())
          if ((await queue().show(id)) === null) await store.remove(hashText(id));
      } catch (error) {
        log.debug({ err: error }, 'notes of finished jobs not read');
      }
    },
  };
}
