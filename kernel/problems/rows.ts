/** Makers of catalogue rows, so that the tables read as tables. Nothing is looked up here. */
import type { CodeEntry, Severity } from '../contract/problem.js';

export const problem = (severity: Severity, title: string, message: string, help: string): CodeEntry => ({
  severity,
  title,
  message,
  help,
});
export const refusal = (status: number, title: string, message: string, help: string): CodeEntry => ({
  status,
  title,
  message,
  help,
});
