/** `storage.key`: where a file would be stored, from the folder of a definition, the payload and the name a client sends. */
import { Fault } from '../../contract/fault.js';
import { isObject } from '../../contract/json.js';
import { compilePath } from '../../language/strings/path.js';
import { fileName } from '../../kernel/http/boundary.js';
import { compileFolder, keyIn, newName } from '../../plugins/modes/upload/folder.js';
import { accessorsIn } from '../../language/strings/accessor.js';
import { textOf, type Ops, type Outcome } from './ops.js';

function keyOf(input: Readonly<Record<string, unknown>>): Outcome {
  const values = isObject(input['values']) ? input['values'] : {};
  try {
    const folder = compileFolder(textOf(input, 'folder'), (accessor) => {
      const read = compilePath(accessorsIn(accessor)[0]?.tail ?? []);
      return () => read(values);
    });
    // The door has seen the name; it is data from there on, and no part of the key.
    fileName(textOf(input, 'filename'));
    return { ok: true, out: keyIn(folder(undefined as never), newName('png')) };
  } catch (error) {
    if (error instanceof Fault) return { ok: false, error: error.code };
    throw error;
  }
}

export const ops: Ops = { 'storage.key': keyOf };
