/** With `on_problem: "skip"` a set with errors is used in part; this shows on stderr what is left out, so that it is seen. */
import type { Kernel } from '../runtime/kernel.js';
import { pretty, withConfig } from './problems.js';

export function showLeftOut(kernel: Kernel): void {
  if (!kernel.degraded()) return;
  const errors = kernel.problems().filter(({ severity }) => severity === 'error');
  const documents = withConfig(kernel.project, kernel.analysis().documents);
  process.stderr.write(`${pretty(errors, documents)}\n\n`);
  const left = kernel.analysis().resources.filter(({ sound }) => !sound);
  kernel.log.warn({ resources: left.map(({ id }) => id) }, 'resources with errors are left out and answer 503');
}
