/** The folder of a definition as a reader, and the keys below it. A value that is no plain identifier ends the request. */
import { randomUUID } from 'node:crypto';
import { BootError } from '../../../kernel/contract/boot-error.js';
import { fault } from '../../../kernel/contract/fault.js';
import type { Reader } from '../../../kernel/contract/plan.js';
import { isStorageKey } from '../../kinds/storage-key.js';
import { folderFlaw, folderParts, isFolderValue } from './folder.light.js';

/** `read`: an accessor as text. Null: files lie at the top. */
export function compileFolder(folder: string | null, read: (accessor: string) => Reader): Reader<string> {
  if (folder === null) return () => '';
  const flaw = folderFlaw(folder);
  if (flaw !== null) throw new BootError('UPL_FOLDER', { what: flaw });
  const pieces = folderParts(folder).map((part): string | Reader<string> => {
    if (typeof part === 'string') return part;
    const value = read(part.text);
    // A value of the environment is known now, and wrong for every request if it is.
    if (part.root === 'ENV') {
      const text = String(value(undefined as never));
      if (!isFolderValue(text))
        throw new BootError('UPL_FOLDER', { what: `the value of ${part.text} is no plain name` });
      return text;
    }
    return (frame) => {
      const found = value(frame);
      const text = typeof found === 'number' ? String(found) : found;
      if (typeof text !== 'string' || !isFolderValue(text)) throw fault('UPL_FOLDER_VALUE');
      return text;
    };
  });
  return (frame) => {
    let path = '';
    for (const piece of pieces) path += typeof piece === 'string' ? piece : piece(frame);
    return path;
  };
}

/** A name of nobody's choice, of the cryptographic source. */
export const newName = (extension: string): string =>
  `${randomUUID()}.${/^[a-z0-9]{1,16}$/.test(extension) ? extension : 'bin'}`;

export function keyIn(folder: string, name: string): string {
  const key = folder === '' ? name : `${folder}/${name}`;
  if (!isStorageKey(key)) throw fault('UPL_FOLDER_VALUE');
  return key;
}

/** Below the folder, level by level: `users/1` holds nothing of `users/12`. */
export const isInside = (folder: string, key: unknown): key is string =>
  isStorageKey(key) && key.startsWith(`${folder}/`);
