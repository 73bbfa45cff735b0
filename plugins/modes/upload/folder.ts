/** Reader of an upload folder, and the keys below it. A value that is no plain identifier rejects the request. */
import { randomUUID } from 'node:crypto';
import { BootError } from '../../../contract/boot-error.js';
import { createFault } from '../../../contract/fault.js';
import type { Reader } from '../../../contract/plan.js';
import { isStorageKey } from '../../storages/shared/key.light.js';
import { findFolderFlaw, parseFolder, isFolderValue } from './folder.light.js';

/** `read`: reads an accessor as text. Null: files are stored at the root. */
export function compileFolder(folder: string | null, read: (accessor: string) => Reader): Reader<string> {
  if (folder === null) return () => '';
  const flaw = findFolderFlaw(folder);
  if (flaw !== null) throw new BootError('UPL_FOLDER', { what: flaw });
  const pieces = parseFolder(folder).map((part): string | Reader<string> => {
    if (typeof part === 'string') return part;
    const value = read(part.text);
    // Environment values are known at load, and an invalid one would fail every request.
    if (part.root === 'ENV') {
      const text = String(value(undefined as never));
      if (!isFolderValue(text))
        throw new BootError('UPL_FOLDER', { what: `the value of ${part.text} is no plain name` });
      return text;
    }
    return (frame) => {
      const found = value(frame);
      const text = typeof found === 'number' ? String(found) : found;
      if (typeof text !== 'string' || !isFolderValue(text)) throw createFault('UPL_FOLDER_VALUE');
      return text;
    };
  });
  return (frame) => {
    let path = '';
    for (const piece of pieces) path += typeof piece === 'string' ? piece : piece(frame);
    return path;
  };
}

/** A random name from a cryptographic source. */
export const createFileName = (extension: string): string =>
  `${randomUUID()}.${/^[a-z0-9]{1,16}$/.test(extension) ? extension : 'bin'}`;

export function createStorageKey(folder: string, name: string): string {
  const key = folder === '' ? name : `${folder}/${name}`;
  if (!isStorageKey(key)) throw createFault('UPL_FOLDER_VALUE');
  return key;
}

/** Compares whole path segments: `users/1` does not contain `users/12`. */
export const isInside = (folder: string, key: unknown): key is string =>
  isStorageKey(key) && key.startsWith(`${folder}/`);
