/** Spools and removes the files of one request. */
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { CLOSE, createFault, type Fault } from '../../../contract/fault.js';
import type { FileLimits, UploadedFile } from '../../../contract/plan.js';
import { spoolStream, openSpoolFolder, createSpoolPath } from './spool.js';

export interface FilePartInfo {
  readonly field: string;
  readonly originalName: string;
  readonly type: string;
}

export interface FileIntake {
  readonly limits: FileLimits;
  /** Throws when the limit is exceeded. Rejects for a file that is not written. */
  store(stream: Readable, named: FilePartInfo): Promise<unknown>;
  files(): Promise<readonly UploadedFile[]>;
  /** Waits for pending writes. */
  dispose(): Promise<void>;
}

/** Rejects when the spool folder is unavailable. */
export async function openIntake(limits: FileLimits): Promise<FileIntake> {
  const folder = await openSpoolFolder().catch((error: unknown) => {
    throw createDiskFault(error);
  });
  const paths: string[] = [];
  const taken: Promise<UploadedFile>[] = [];
  return {
    limits,
    store(stream, { field, originalName, type }) {
      if (taken.length === limits.count)
        throw createFault('REQ_TOO_COMPLEX', { what: 'files', max: limits.count }, CLOSE);
      const path = createSpoolPath(folder);
      paths.push(path);
      const written = spoolStream(stream, path).then(
        ({ size, head }) => Object.freeze({ field, originalName, declaredType: type.toLowerCase(), size, head, path }),
        (error: unknown) => {
          throw toDiskFault(error) ?? createFault('REQ_ABORTED', {}, { ...CLOSE, cause: error });
        },
      );
      taken.push(written);
      return written;
    },
    files: () => Promise.all(taken),
    async dispose() {
      await Promise.allSettled(taken);
      await Promise.all(paths.splice(0).map((path) => rm(path, { force: true })));
    },
  };
}

const createDiskFault = (cause: unknown): Fault =>
  createFault('REQ_NO_ROOM', {}, { headers: { ...CLOSE.headers, 'retry-after': '5' }, cause, retryable: true });

/** Null for errors of streams and parsers; system errors have a `syscall`. */
export const toDiskFault = (error: unknown): Fault | null =>
  error instanceof Error && 'syscall' in error ? createDiskFault(error) : null;
