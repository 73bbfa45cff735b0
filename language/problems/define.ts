/** Factories of catalogue rows. They look nothing up. */
import type { CodeEntry, ProblemTag, Severity } from '../../contract/problem.js';

export const defineProblem = (
  severity: Severity,
  title: string,
  message: string,
  help: string,
  tag?: ProblemTag,
): CodeEntry => ({ severity, title, message, help, ...(tag !== undefined && { tag }) });
/** An error that is reported only if every plugin is known. */
export const defineUnknown = (title: string, message: string, help: string): CodeEntry => ({
  ...defineProblem('error', title, message, help),
  plugins: 'all',
});
/** A warning that is reported only if every plugin is known. */
export const defineUnsure = (title: string, message: string, help: string): CodeEntry => ({
  ...defineProblem('warning', title, message, help),
  plugins: 'all',
});
/** An error about one name or setting used in many places; these parameters identify it. */
export const withCause = (entry: CodeEntry, ...cause: readonly string[]): CodeEntry => ({ ...entry, cause });
export const defineRejection = (status: number, title: string, message: string, help: string): CodeEntry => ({
  status,
  title,
  message,
  help,
});
