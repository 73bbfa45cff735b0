/** Prints the resources that errors keep from being served (`on_problem: "skip"`). */
import type { Kernel } from '../kernel/runtime/kernel.js';
import { createPaint } from './colors.js';
import { formatProblems, addConfigDocument } from './problems.js';
import type { Terminal } from './terminal.js';

export function showSkippedResources(kernel: Kernel, terminal: Terminal): void {
  if (!kernel.degraded()) return;
  const errors = kernel.problems().filter(({ severity }) => severity === 'error');
  const documents = addConfigDocument(kernel.project, kernel.analysis().documents);
  terminal.stderr.write(`${formatProblems(errors, documents, createPaint(terminal))}\n\n`);
  const left = kernel.analysis().resources.filter(({ sound }) => !sound);
  kernel.log.warn({ resources: left.map(({ id }) => id) }, 'resources with errors are skipped and return 503');
}
