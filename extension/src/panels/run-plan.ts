/** Asks the project's own `lintel` for the plan of a resource. It compiles, and connects to nothing. */
import { execFile } from 'node:child_process';
import type { Uri } from 'vscode';
import { lintelOf } from '../tasks.js';
import { readPlan, type Plan } from './plan-json.js';

/** Milliseconds; a machine that is busy takes its time. */
const PATIENCE = 60_000;
const MOST_BYTES = 32 * 1024 * 1024;

/** The plan, or why there is none. */
export function runPlan(folder: Uri, id: string, signal: AbortSignal): Promise<Plan | string> {
  const words = lintelOf(folder);
  if (words === null)
    return Promise.resolve(
      'This project has no `lintel` installed: `npm install lintel`, or name one in the setting lintel.server.path.',
    );
  // A shell finds `lintel.cmd` on Windows, and only names without anything special are given to it.
  const shell = process.platform === 'win32';
  if (shell && !/^[\w./:~-]+$/.test(id)) return Promise.resolve(`"${id}" cannot be given to a command.`);
  const [program = '', ...rest] = shell ? words.map((word) => `"${word}"`) : words;
  return new Promise((resolve) => {
    execFile(
      program,
      [...rest, 'plan', id, '--format', 'json'],
      { cwd: folder.fsPath, signal, timeout: PATIENCE, maxBuffer: MOST_BYTES, shell, windowsHide: true },
      (error, stdout, stderr) => {
        const plan = readPlan(stdout);
        const said = stderr.trim();
        resolve(plan ?? (said === '' ? (error?.message ?? 'lintel printed no plan.') : said));
      },
    );
  });
}
