/** Sends diagnostics to clients that do not request them. */
import type { Connection, Diagnostic } from 'vscode-languageserver';

/** The project, or the URI of the statement, that the diagnostics are about. */
export type ReportOwner = object | string;

export interface DiagnosticReports {
  /** `byUri`: files of the owner with problems, and its open files. `isWhole`: all files are loaded. */
  replaceReports(owner: ReportOwner, byUri: ReadonlyMap<string, readonly Diagnostic[]>, isWhole: boolean): void;
  /** Requests that wait are answered. */
  stop(): void;
}

export function createPushedReports(
  connection: Connection,
  getVersion: (uri: string) => number | undefined,
): DiagnosticReports {
  /** The last sent diagnostics, to skip unchanged ones. */
  const sent = new Map<ReportOwner, Map<string, string>>();
  return {
    replaceReports(owner, byUri) {
      const before = sent.get(owner) ?? new Map<string, string>();
      const now = new Map<string, string>();
      for (const uri of before.keys()) if (!byUri.has(uri)) void connection.sendDiagnostics({ uri, diagnostics: [] });
      for (const [uri, diagnostics] of byUri) {
        const version = getVersion(uri);
        const text = JSON.stringify([version, diagnostics]);
        now.set(uri, text);
        if (before.get(uri) === text) continue;
        void connection.sendDiagnostics({
          uri,
          diagnostics: [...diagnostics],
          ...(version !== undefined && { version }),
        });
      }
      if (now.size > 0) sent.set(owner, now);
      else sent.delete(owner);
    },
    stop: () => undefined,
  };
}
