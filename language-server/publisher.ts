/** Reports diagnostics of all files of a project after each change, once typing pauses or has lasted for some pauses. */
import type { Connection, Diagnostic } from 'vscode-languageserver';
import { join } from 'node:path';
import type { Problem } from '../contract/problem.js';
import { logError } from './log-error.js';
import { toDiagnostic } from './diagnostics.js';
import type { DiagnosticReports } from './diagnostic-reports.js';
import { deferUntilIdle } from './defer-until-idle.js';
import type { Project } from './project.js';
import type { Workspace } from './workspace.js';

/** Default milliseconds without a keystroke before diagnostics are published. */
const PAUSE = 120;
/** Pauses after the first change, when diagnostics are published although texts still change, as where a program writes files. */
const MOST_PAUSES = 8;

export interface Publisher {
  /** Publishes per-file diagnostics for open files while the project is still loading. */
  publishInitial(project: Project): void;
  schedulePublish(project: Project): void;
  publishAll(): void;
  /** Publishes without a pause; for findings that come after the diagnostics. */
  publishNow(project: Project): void;
  /** Later results are discarded. */
  stop(): void;
}

interface Wait {
  readonly timer: NodeJS.Timeout;
  /** In the time of `performance.now`. */
  readonly end: number;
}

interface PublisherOptions {
  readonly connection: Connection;
  readonly workspace: Workspace;
  readonly listOpenNames: () => readonly string[];
  readonly getReports: () => DiagnosticReports;
  readonly toClientUri: (name: string) => string;
  readonly pause?: () => number | undefined;
  readonly onWork?: (() => void) | undefined;
  /** Called after the diagnostics of the whole project are sent. */
  readonly onPublished?: (project: Project) => void;
}

export function createPublisher({
  connection,
  workspace,
  listOpenNames,
  getReports,
  toClientUri,
  pause,
  onWork,
  onPublished,
}: PublisherOptions): Publisher {
  const waiting = new Map<Project, Wait>();
  /** Projects of which diagnostics have been reported. */
  const published = new Set<Project>();
  /** Projects that have been published, or will be as soon as they are prepared. */
  const begun = new Set<Project>();
  /** Set on shutdown; later results are discarded. */
  let over = false;

  function publish(project: Project): void {
    // A change since the timer has fired is published with the others.
    clearTimeout(waiting.get(project)?.timer);
    waiting.delete(project);
    begun.add(project);
    onWork?.();
    if (over) return;
    try {
      if (published.has(project) && project.isParserReady) {
        const isDone = project.computeInTurn(listOpenFiles(project), (found) => {
          announceReading(project);
          replaceReports(project, found);
        });
        if (isDone) publishAllFiles(project);
        else deferUntilIdle(() => publisher.publishNow(project));
        return;
      }
      if (!published.has(project)) publishOpenFiles(project);
      void project.waitForParser().then(() => deferUntilIdle(() => publish(project)), logFailure);
    } catch (error) {
      logFailure(error);
    }
  }

  function publishOpenFiles(project: Project): void {
    announceReading(project);
    const open = listOpenFiles(project).filter((name) => project.files.has(name));
    published.add(project);
    getReports().replaceReports(
      project,
      new Map(open.map((name) => [toClientUri(name), toDiagnostics(project, project.checkFile(name))])),
      false,
    );
  }

  const announceReading = (project: Project): void =>
    void connection.sendNotification('lintel/reading', { root: toClientUri(project.folder) });

  /** Open files that belong to the project, including its config. */
  const listOpenFiles = (project: Project): string[] => listOpenNames().filter((name) => project.hasFile(name));

  function publishAllFiles(project: Project): void {
    replaceReports(project, project.getSnapshot().problems);
    report(project);
    deferUntilIdle(() => onPublished?.(project));
  }

  function replaceReports(project: Project, problems: readonly Problem[]): void {
    const byName = new Map<string, Problem[]>();
    for (const problem of problems) {
      const known = byName.get(problem.file);
      if (known === undefined) byName.set(problem.file, [problem]);
      else known.push(problem);
    }
    const byFile = new Map(listOpenFiles(project).map((name) => [toClientUri(name), [] as Diagnostic[]]));
    for (const [file, found] of byName)
      byFile.set(toClientUri(join(project.folder, file)), toDiagnostics(project, found));
    getReports().replaceReports(project, byFile, true);
  }

  const toDiagnostics = (project: Project, problems: readonly Problem[]): Diagnostic[] =>
    problems.map((problem) => toDiagnostic(problem, project, toClientUri));

  const logFailure = (error: unknown): void => logError(connection, error);

  function report(project: Project): void {
    const { analysis, config } = project.getSnapshot();
    void connection.sendNotification('lintel/status', {
      root: toClientUri(project.folder),
      resources: analysis.resources.length,
      models: analysis.models.length,
      profile: config.profile,
    });
  }

  const publisher: Publisher = {
    publishInitial(project) {
      if (over) return;
      try {
        publishOpenFiles(project);
      } catch (error) {
        logFailure(error);
      }
    },
    schedulePublish(project) {
      // The first time, publishes without delay.
      if (!begun.has(project)) {
        publish(project);
        return;
      }
      const before = waiting.get(project);
      clearTimeout(before?.timer);
      const time = pause?.() ?? PAUSE;
      const end = before?.end ?? performance.now() + time * MOST_PAUSES;
      const delay = Math.max(0, Math.min(time, end - performance.now()));
      waiting.set(project, { timer: setTimeout(() => deferUntilIdle(() => publish(project)), delay), end });
    },
    publishNow(project) {
      // A change that waits to be published includes it.
      if (!waiting.has(project)) publish(project);
    },
    stop() {
      over = true;
      waiting.forEach(({ timer }) => clearTimeout(timer));
    },
    publishAll() {
      void workspace.listProjects().then((projects) => projects.forEach(publish));
    },
  };
  return publisher;
}
