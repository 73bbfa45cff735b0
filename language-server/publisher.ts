/**
 * Publishes diagnostics of all files of a project after each change, once typing pauses; clears those of files without problems.
 */
import type { Connection, Diagnostic, TextDocuments } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { join } from 'node:path';
import type { Problem } from '../contract/problem.js';
import { tellFailure } from './failure.js';
import { diagnosticOf } from './render.js';
import { afterQuestions } from './after-questions.js';
import type { Project } from './project.js';
import { nameOfUri } from './uri.js';
import type { Workspace } from './workspace.js';

/** Default milliseconds without a keystroke before diagnostics are published. */
const PAUSE = 120;

export interface Publisher {
  /** Publishes per-file diagnostics for open files while the project is still loading. */
  early(project: Project): void;
  soon(project: Project): void;
  all(): void;
}

interface Given {
  readonly connection: Connection;
  readonly workspace: Workspace;
  readonly documents: TextDocuments<TextDocument>;
  readonly uriOf: (name: string) => string;
  readonly pause?: () => number | undefined;
}

export function createPublisher({ connection, workspace, documents, uriOf, pause }: Given): Publisher {
  const waiting = new Map<Project, NodeJS.Timeout>();
  /** The last published diagnostics by project and URI, to skip unchanged ones. */
  const told = new Map<Project, Map<string, string>>();
  /** Projects that have been published, or will be as soon as they are prepared. */
  const begun = new Set<Project>();
  /** Set on shutdown; later results are discarded. */
  let over = false;

  function publish(project: Project): void {
    waiting.delete(project);
    begun.add(project);
    if (over) return;
    try {
      if (told.has(project) && project.isPrepared) {
        tellAll(project);
        return;
      }
      if (!told.has(project)) tellOpen(project);
      void project.prepare().then(() => afterQuestions(() => publish(project)), complain);
    } catch (error) {
      complain(error);
    }
  }

  function tellOpen(project: Project): void {
    void connection.sendNotification('lintel/reading', { root: uriOf(project.folder) });
    const open = openIn(project).filter((name) => project.files.has(name));
    tell(project, new Map(open.map((name) => [uriOf(name), shownOf(project, project.glance(name))])));
  }

  /** Open files that belong to the project, including its config. */
  const openIn = (project: Project): string[] =>
    documents
      .keys()
      .flatMap((uri) => nameOfUri(uri) ?? [])
      .filter((name) => project.holds(name));

  function tellAll(project: Project): void {
    const byName = new Map<string, Problem[]>();
    for (const problem of project.snapshot().problems) {
      const known = byName.get(problem.file);
      if (known === undefined) byName.set(problem.file, [problem]);
      else known.push(problem);
    }
    const byFile = new Map(openIn(project).map((name) => [uriOf(name), [] as Diagnostic[]]));
    for (const [file, found] of byName) byFile.set(uriOf(join(project.folder, file)), shownOf(project, found));
    tell(project, byFile);
    report(project);
  }

  const shownOf = (project: Project, problems: readonly Problem[]): Diagnostic[] =>
    problems.map((problem) => diagnosticOf(problem, project, uriOf));

  const complain = (error: unknown): void => tellFailure(connection, error);

  /** `byFile`: open files, and files with problems. Files that are no longer included are cleared. */
  function tell(project: Project, byFile: ReadonlyMap<string, readonly Diagnostic[]>): void {
    const before = told.get(project) ?? new Map<string, string>();
    const now = new Map<string, string>();
    for (const uri of before.keys()) if (!byFile.has(uri)) void connection.sendDiagnostics({ uri, diagnostics: [] });
    for (const [uri, diagnostics] of byFile) {
      const version = documents.get(uri)?.version;
      const text = JSON.stringify([version, diagnostics]);
      now.set(uri, text);
      if (before.get(uri) === text) continue;
      void connection.sendDiagnostics({
        uri,
        diagnostics: [...diagnostics],
        ...(version !== undefined && { version }),
      });
    }
    told.set(project, now);
  }

  function report(project: Project): void {
    const { analysis, config } = project.snapshot();
    void connection.sendNotification('lintel/status', {
      root: uriOf(project.folder),
      resources: analysis.resources.length,
      models: analysis.models.length,
      profile: config.profile,
    });
  }

  const publisher: Publisher = {
    early(project) {
      if (over) return;
      try {
        tellOpen(project);
      } catch (error) {
        complain(error);
      }
    },
    soon(project) {
      // The first time, publishes without delay.
      if (!begun.has(project)) {
        publish(project);
        return;
      }
      clearTimeout(waiting.get(project));
      waiting.set(
        project,
        setTimeout(() => afterQuestions(() => publish(project)), pause?.() ?? PAUSE),
      );
    },
    all() {
      void workspace.projects().then((projects) => projects.forEach(publish));
    },
  };
  connection.onShutdown(() => {
    over = true;
    waiting.forEach((timer) => clearTimeout(timer));
  });
  return publisher;
}
