/** Common start of `serve` and `dev`: creates log, project and kernel. Prints errors with code frames; does not listen. */
import type { Logger } from 'pino';
import { BrokenSet, createKernel, type Kernel, type KernelOptions } from '../kernel/runtime/kernel.js';
import { loadProject, type Project } from '../kernel/runtime/project.js';
import { explain } from './explain.js';
import { createLog } from './log.js';
import { paintFor } from './paint.js';
import { pretty, withConfig } from './problems.js';
import type { Terminal } from './terminal.js';

export interface Booted {
  readonly kernel: Kernel;
  readonly log: Logger;
}

/**
 * Returns null if the definitions are invalid and were printed. Without `onProblem` the config decides which problems are fatal.
 */
export async function boot(
  terminal: Terminal,
  configFile: string | undefined,
  options: Partial<KernelOptions> & { readonly log?: Logger; readonly dev?: true } = {},
): Promise<Booted | null> {
  const log = options.log ?? (await createLog(terminal));
  const project = await loadProject(terminal.cwd, configFile, terminal.env, options.dev);
  try {
    return { kernel: await createKernel({ ...options, project, log }), log };
  } catch (error) {
    showBroken(error, project, terminal);
    return null;
  }
}

/** Rethrows any other error. */
export function showBroken(error: unknown, project: Project, terminal: Terminal): void {
  if (!(error instanceof BrokenSet)) throw error;
  const documents = withConfig(project, error.analysis?.documents);
  const paint = paintFor(terminal);
  terminal.stderr.write(`${pretty(error.problems, documents, paint)}\n\n${explain(error, paint)}\n`);
}
