/** Makers of catalogue rows, so that the tables read as tables. Nothing is looked up here. */
import type { CodeEntry, ProblemTag, Severity } from '../contract/problem.js';

export const problem = (
  severity: Severity,
  title: string,
  message: string,
  help: string,
  tag?: ProblemTag,
): CodeEntry => ({ severity, title, message, help, ...(tag !== undefined && { tag }) });
/** True only when every plugin is known. */
export const unknown = (title: string, message: string, help: string): CodeEntry => ({
  ...problem('error', title, message, help),
  plugins: 'all',
});
/** The same of a warning. */
export const unsure = (title: string, message: string, help: string): CodeEntry => ({
  ...problem('warning', title, message, help),
  plugins: 'all',
});
export const refusal = (status: number, title: string, message: string, help: string): CodeEntry => ({
  status,
  title,
  message,
  help,
});
