/** The .vsix from `npm run package`, made once for a whole run, in a separate folder. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './project.js';
import { runAtEnd, shareServer, stopSharedServer } from './shared-server.js';

interface Vsix {
  readonly file: string;
  /** What esbuild reports of each bundle, as JSON. */
  readonly metafile: string;
}

/** `extension/dist` has its bundles. */
export async function makeVsix(): Promise<Vsix> {
  const made = await shareServer<Vsix>('vsix', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lintel-vsix-'));
    const [file, metafile] = [join(folder, 'lintel.vsix'), join(folder, 'bundles.json')];
    const script = join(ROOT, 'dist/extension/tools/package.js');
    await promisify(execFile)(process.execPath, [script, file, metafile]);
    return { file, metafile, stop: () => rm(folder, { recursive: true, force: true }) };
  });
  if ('skip' in made) throw new Error(made.skip);
  return made;
}

export const removeVsix = (): Promise<void> => stopSharedServer('vsix');

runAtEnd(removeVsix);
