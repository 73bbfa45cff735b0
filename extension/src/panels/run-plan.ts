/** Asks the project's own `lintel` for the plan of a resource. It compiles, and connects to nothing. */
import type { Uri } from 'vscode';
import { WHY_NOT, askLintel } from '../programs.js';
import { readPlan, type Plan } from './plan-json.js';

/** The plan, or why there is none. */
export async function runPlan(folder: Uri, id: string, signal: AbortSignal): Promise<Plan | string> {
  // Only names without anything special are given to a shell.
  if (process.platform === 'win32' && !/^[\w./:~-]+$/.test(id)) return `"${id}" cannot be given to a command.`;
  const printed = await askLintel(folder, ['plan', id, '--format', 'json'], signal);
  if (typeof printed === 'string') return WHY_NOT[printed];
  const { stdout, stderr, error } = printed;
  const said = stderr.trim();
  return readPlan(stdout) ?? (said === '' ? (error?.message ?? 'lintel printed no plan.') : said);
}
