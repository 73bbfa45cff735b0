/**
 * The rows that this build can serve. Definitions of plugins that a build may lack are in a separate folder; if the check
 * rejects it, the folder and its rows are left out with a message.
 */
import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createLintelTarget, root, type Target } from './targets.js';

const optional = [
  { folder: 'tokens', rows: ['account-mine'] },
  { folder: 'ciphers', rows: ['contact-create'] },
  { folder: 'calls', rows: ['quote', 'quote-fetch'] },
  { folder: 'caches', rows: ['account-cached', 'account-path'] },
  { folder: 'webhooks', rows: ['hook'] },
] as const;

export interface ServableTarget {
  readonly lintel: Target;
  readonly missing: readonly { readonly row: string; readonly why: string }[];
}

export async function findServable(folder: string): Promise<ServableTarget> {
  const bench = join(root, 'bench');
  const whole = join(bench, 'lintel.config.json');
  const complaint = await findCheckError(whole);
  if (complaint === null) return { lintel: createLintelTarget('lintel', whole), missing: [] };
  const home = join(folder, 'without-optional');
  const left = optional.map((part) => join(bench, 'definitions', part.folder));
  await cp(whole, join(home, 'lintel.config.json'));
  await cp(join(bench, 'definitions'), join(home, 'definitions'), {
    recursive: true,
    filter: (source) => !left.includes(source),
  });
  const rest = join(home, 'lintel.config.json');
  const other = await findCheckError(rest);
  if (other !== null) throw new Error(`our definitions do not check: ${other}`);
  const missing = optional.flatMap(({ rows }) => rows.map((row) => ({ row, why: complaint })));
  return { lintel: createLintelTarget('lintel', rest), missing };
}

/** The first error of the check as a line; null: no error. */
async function findCheckError(config: string): Promise<string | null> {
  const args = [join(root, 'dist/bundle/cli.js'), 'check', '--config', config];
  const keys = { BENCH_TOKEN_KEY: 'x'.repeat(32), BENCH_FIELD_KEY: 'x'.repeat(32), BENCH_HOOK_KEY: 'y'.repeat(32) };
  const places = { DATABASE_URL: 'postgres://127.0.0.1/none', BENCH_REMOTE: 'http://127.0.0.1:1' };
  const env = { ...process.env, ...places, ...keys };
  try {
    await promisify(execFile)(process.execPath, args, { env, timeout: 60_000 });
    return null;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return `${stdout}${stderr}`.split('\n').find((line) => /error/i.test(line)) ?? 'the checker failed';
  }
}
