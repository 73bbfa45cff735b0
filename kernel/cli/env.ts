/** `lintel env`: fills `.env` beside the config with what `.env.example` lists. Names are told, values never. */
import { dirname, resolve } from 'node:path';
import type { CommandOptions } from './commands.js';
import { fillEnvFile, type Filled } from './env-file.js';

export async function env({ config }: CommandOptions): Promise<number> {
  const folder = config === undefined ? process.cwd() : dirname(resolve(config));
  process.stdout.write(`${told(await fillEnvFile(folder, process.env))}\n`);
  return 0;
}

export function told({ found, added }: Filled): string {
  if (!found) return '.env: there is no .env.example, so nothing was added';
  if (added.length === 0) return '.env: nothing is missing';
  return `.env: added ${added.map(({ name, how }) => `${name} (${how})`).join(', ')}`;
}
