/** Logs an error with its stack to the editor's log, and only there. */
import type { Connection } from 'vscode-languageserver';

export function logError(connection: Connection, error: unknown): void {
  connection.console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
