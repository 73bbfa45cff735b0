/**
 * Measures reading, checking and compiling definitions, without connections. It runs in this process, after a first load
 * that imports the modules.
 */
import { join } from 'node:path';
import { createKernel } from '../kernel/runtime/kernel.js';
import { loadProject } from '../plugins/distribution.js';
import { writeInstallation } from './scale.js';

const times = 5;

/** Returns the median in milliseconds. */
export async function measureCompileMs(folder: string, resources: number): Promise<number> {
  const home = join(folder, `compile-${resources}`);
  await writeInstallation(home, resources);
  const took: number[] = [];
  for (let n = 0; n <= times; n++) {
    const started = performance.now();
    const project = await loadProject(home, undefined, { DATABASE_URL: 'postgres://127.0.0.1/none' });
    const kernel = await createKernel({ project, log: silent, connect: false });
    if (n > 0) took.push(performance.now() - started);
    await kernel.close('measured');
  }
  return took.sort((a, b) => a - b)[Math.floor(times / 2)] ?? NaN;
}

const ignoreMessage = (): void => undefined;
const silent = { debug: ignoreMessage, info: ignoreMessage, warn: ignoreMessage, error: ignoreMessage };
