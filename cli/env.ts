/** `lintel env`: fills `.env` from `.env.example`. Prints names, never values. */
import { dirname, resolve } from 'node:path';
import type { CommandOptions } from './options.js';
import { fillEnvFile, type EnvFileResult } from './env-file.js';
import type { Terminal } from './terminal.js';

export async function runEnv({ config }: CommandOptions, terminal: Terminal): Promise<number> {
  const folder = config === undefined ? terminal.cwd : dirname(resolve(terminal.cwd, config));
  terminal.stdout.write(`${formatEnvFileResult(await fillEnvFile(folder, terminal.env))}\n`);
  return 0;
}

export function formatEnvFileResult({ found, added }: EnvFileResult): string {
  if (!found) return '.env: no .env.example found, nothing added';
  if (added.length === 0) return '.env: nothing is missing';
  return `.env: added ${added.map(({ name, how }) => `${name} (${how})`).join(', ')}`;
}
