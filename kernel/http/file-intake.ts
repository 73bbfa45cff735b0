/** Spools and removes the files of one request. It does not validate their contents. */
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { fault, type Fault } from '../../contract/fault.js';
import type { FileLimits, UploadedFile } from '../../contract/plan.js';
import { CLOSE } from './body.js';
import { spool, spoolFolder, spoolPath } from './spool.js';

export interface Named {
  readonly field: string;
  readonly originalName: string;
  readonly type: string;
}

export interface FileIntake {
  readonly limits: FileLimits;
  /** Throws when the limit is exceeded. `done` receives null once the file is written. */
  take(stream: Readable, named: Named, done: (error: Fault | null) => void): void;
  files(): Promise<readonly UploadedFile[]>;
  /** Waits for pending writes. */
  drop(): Promise<void>;
}

/** Rejects when the spool folder is unavailable. */
export async function openIntake(limits: FileLimits): Promise<FileIntake> {
  const folder = await spoolFolder().catch((error: unknown) => {
    throw noRoom(error);
  });
  const paths: string[] = [];
  const taken: Promise<UploadedFile>[] = [];
  return {
    limits,
    take(stream, { field, originalName, type }, done) {
      if (taken.length === limits.count) throw fault('REQ_TOO_COMPLEX', { what: 'files', max: limits.count }, CLOSE);
      const path = spoolPath(folder);
      paths.push(path);
      const written = spool(stream, path).then(({ size, head }) =>
        Object.freeze({ field, originalName, declaredType: type.toLowerCase(), size, head, path }),
      );
      taken.push(written);
      written.then(
        () => done(null),
        (error: unknown) => done(diskFault(error) ?? fault('REQ_ABORTED', {}, { ...CLOSE, cause: error })),
      );
    },
    files: () => Promise.all(taken),
    async drop() {
      await Promise.allSettled(taken);
      await Promise.all(paths.splice(0).map((path) => rm(path, { force: true })));
    },
  };
}

const noRoom = (cause: unknown): Fault =>
  fault('REQ_NO_ROOM', {}, { headers: { ...CLOSE.headers, 'retry-after': '5' }, cause, retryable: true });

/** Null for errors of streams and parsers; system errors have a `syscall`. */
export const diskFault = (error: unknown): Fault | null =>
  error instanceof Error && 'syscall' in error ? noRoom(error) : null;
