/**
 * `--scale`: two servers of the same definitions, one with 10 resources and one with 2,000. The cost of a request must
 * not grow with the number of resources.
 */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLintelTarget, root, type Target } from './targets.js';

const sizes = [10, 2000] as const;
/** The rows of both servers; all other resources are copies of these. */
export const scaledRows = ['health', 'account-read'] as const;

export async function createScaleTargets(folder: string): Promise<Target[]> {
  const targets: Target[] = [];
  for (const size of sizes) {
    const name = `${size} resources`;
    const home = join(folder, String(size));
    await writeInstallation(home, size);
    targets.push(createLintelTarget(name, join(home, 'lintel.config.json')));
  }
  return targets;
}

/** Writes the configuration with `size` resources: the measured ones, and copies of them under other names. */
export async function writeInstallation(home: string, size: number): Promise<void> {
  const bench = join(root, 'bench');
  const resources = join(home, 'definitions/resources');
  await mkdir(resources, { recursive: true });
  await cp(join(bench, 'lintel.config.json'), join(home, 'lintel.config.json'));
  await cp(join(bench, 'definitions/models'), join(home, 'definitions/models'), { recursive: true });
  const originals = await Promise.all(
    scaledRows.map(async (name) => ({
      name,
      text: await readFile(join(bench, 'definitions/resources', `${name}.json`), 'utf8'),
    })),
  );
  for (let n = 0; n < size - originals.length; n++) {
    const { name, text } = originals[n % originals.length] ?? { name: '', text: '' };
    const copy = `${name}-copy-${String(n).padStart(4, '0')}`;
    const definition = { ...(JSON.parse(text) as object), id: `${copy}-01`, resource: copy };
    await writeFile(join(resources, `copy-${String(n).padStart(4, '0')}.json`), JSON.stringify(definition));
  }
  // The names sort last, so that a linear search would be slow.
  for (const { name, text } of originals) await writeFile(join(resources, `last-${name}.json`), text);
}
