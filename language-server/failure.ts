/** Tells an editor's log what failed, with where: nobody else hears of it. */
import type { Connection } from 'vscode-languageserver';

export function tellFailure(connection: Connection, error: unknown): void {
  connection.console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
