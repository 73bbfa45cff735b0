/** Common start of `serve` and `dev`: creates log, project and kernel. */
import type { Logger } from 'pino';
import { createKernel, type Kernel, type KernelOptions } from '../kernel/runtime/kernel.js';
import { delayOptimization } from '../language/project/code-tiering.js';
import { InvalidDefinitionsError } from '../language/project/invalid-definitions.js';
import { loadProject } from '../plugins/distribution.js';
import type { Project } from '../language/project/project.js';
import { formatError } from './format-error.js';
import { createLog } from './log.js';
import { createPaint } from './colors.js';
import { formatProblems, addConfigDocument } from './problems.js';
import type { Terminal } from './terminal.js';

export interface BootedKernel {
  readonly kernel: Kernel;
  readonly log: Logger;
}

/** Null if the definitions are invalid and were printed. Without `onProblem` the config decides what is fatal. */
export async function bootKernel(
  terminal: Terminal,
  configFile: string | undefined,
  options: Partial<KernelOptions> & {
    readonly log?: Logger;
    readonly dev?: true;
    readonly usesCache?: true;
  } = {},
): Promise<BootedKernel | null> {
  const log = options.log ?? (await createLog(terminal));
  const project = await loadProject(terminal.cwd, configFile, terminal.env, options.dev);
  const { usesCache = false } = options;
  return bootProject(terminal, { ...project, usesCache }, { ...options, log });
}

/** As `bootKernel`, for a loaded project. */
export async function bootProject(
  terminal: Terminal,
  project: Project,
  { log, ...options }: Partial<KernelOptions> & { readonly log: Logger },
): Promise<BootedKernel | null> {
  try {
    return { kernel: await delayOptimization(() => createKernel({ ...options, project, log })), log };
  } catch (error) {
    showInvalidDefinitions(error, project, terminal);
    return null;
  }
}

export function showProblems(
  { problems, analysis }: Pick<InvalidDefinitionsError, 'problems' | 'analysis'>,
  project: Project,
  terminal: Terminal,
): void {
  const documents = addConfigDocument(project, analysis?.documents);
  terminal.stderr.write(`${formatProblems(problems, documents, createPaint(terminal))}\n`);
}

/** Rethrows any other error. */
export function showInvalidDefinitions(error: unknown, project: Project, terminal: Terminal): void {
  if (!(error instanceof InvalidDefinitionsError)) throw error;
  showProblems(error, project, terminal);
  terminal.stderr.write(`\n${formatError(error, createPaint(terminal))}\n`);
}
