/** The .vsix from `npm run package`, in a separate folder: two runs may create it at the same time. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle } from '../../extension/tools/bundle.js';
import { EXTENSION } from '../../extension/tools/places.js';
import { pack } from '../../extension/tools/vsix.js';

/** The path of the file, in an empty folder that the caller removes. */
export async function makeVsix(folder: string): Promise<string> {
  const [extension, file] = [join(folder, 'extension'), join(folder, 'lintel.vsix')];
  await cp(EXTENSION, extension, { recursive: true });
  await bundle({ folder: join(extension, 'dist') });
  await pack(file, extension);
  return file;
}
