/** `storage.key`: where a file would be stored, from the folder of a definition, the payload and the name a client sends. */
import { Fault } from '../../contract/fault.js';
import { isObject } from '../../contract/json.js';
import { compilePath } from '../../language/strings/path.js';
import { parseFileName } from '../../plugins/body-formats/multipart-form/boundary.js';
import { compileFolder, createStorageKey, createFileName } from '../../plugins/modes/upload/runtime.js';
import { listAccessors } from '../../language/strings/accessor.js';
import { readTextInput, type Ops, type Outcome } from './ops.js';

function evaluateStorageKey(input: Readonly<Record<string, unknown>>): Outcome {
  const values = isObject(input['values']) ? input['values'] : {};
  try {
    const folder = compileFolder(readTextInput(input, 'folder'), (accessor) => {
      const read = compilePath(listAccessors(accessor)[0]?.tail ?? []);
      return () => read(values);
    });
    // The HTTP layer has validated the name; after that it is data, and no part of the key.
    parseFileName(readTextInput(input, 'filename'));
    return { ok: true, out: createStorageKey(folder(undefined as never), createFileName('png')) };
  } catch (error) {
    if (error instanceof Fault) return { ok: false, error: error.code };
    throw error;
  }
}

export const ops: Ops = { 'storage.key': evaluateStorageKey };
