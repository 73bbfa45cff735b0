/** Definitions with errors stop a start. */
import { BootError } from '../../contract/boot-error.js';
import type { Problem } from '../../contract/problem.js';
import type { Analysis } from '../analysis/analysis.js';

export class InvalidDefinitionsError extends BootError {
  constructor(
    readonly problems: readonly Problem[],
    readonly analysis: Analysis | null,
  ) {
    super('KRN_BROKEN_SET', { count: problems.filter((problem) => problem.severity === 'error').length });
  }
}
