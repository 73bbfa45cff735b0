/** Gets a resource's plan from the project's own `lintel`, which compiles but opens no connections. */
import type { Uri } from 'vscode';
import { NOT_STARTED_MESSAGES, runLintel } from '../programs.js';
import { readPlan, type Plan } from './plan-json.js';

/** Returns the plan, or a message why there is none. */
export async function runPlan(folder: Uri, id: string, signal: AbortSignal): Promise<Plan | string> {
  // On Windows the command goes through a shell, so only ids without special characters are passed.
  if (process.platform === 'win32' && !/^[\w./:~-]+$/.test(id)) return `"${id}" cannot be given to a command.`;
  // Programs run in trusted workspaces only, so plugins of the project may.
  const printed = await runLintel(folder, ['plan', id, '--format', 'json', '--trust'], signal);
  if (typeof printed === 'string') return NOT_STARTED_MESSAGES[printed];
  const { stdout, stderr, error } = printed;
  const said = stderr.trim();
  return readPlan(stdout) ?? (said === '' ? (error?.message ?? 'lintel printed no plan.') : said);
}
