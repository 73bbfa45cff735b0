/**
 * Lets a database check the statements of a project, and the kernel compile it, behind its diagnostics: only in trusted workspaces,
 * only after the first diagnostics, in a process of its own. The project takes the findings, and what has changed is published again.
 */
import type { Connection } from 'vscode-languageserver';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Analysis } from '../language/analysis/analysis.js';
import type { StatementRejections } from '../language/analysis/checks/rejections.js';
import type { Registry } from '../language/analysis/registry.js';
import { createScratchChecker, type StatementChecker } from '../language/project/statement-checks.js';
import type { ProjectTexts } from '../language/project/scratch-messages.js';
import type { LateFindings } from './late-findings.js';
import { logError } from './log-error.js';
import type { Project } from './project.js';
import { findPackageFolder, SCRATCH_WORKER } from '../language/project/package-folder.js';
import { createScratchProcess, ScratchProcessEnd, type ScratchProcess } from '../language/project/scratch-process.js';

/** Ends of the process without an answer between them, after which it is not started again. */
const MOST_ENDS = 3;

export interface StatementChecks {
  /** Checks the current texts, unless the last check is still running; then it follows. */
  check(project: Project): void;
  /** Findings of the database for a supposed text; empty where none may be queried. */
  findRejections(project: Project, trial: Analysis): Promise<StatementRejections>;
  /** Ends the processes and removes the findings of a database that may no longer be asked. */
  close(): void;
}

interface StatementCheckOptions {
  readonly connection: Connection;
  /** The workspace is trusted, and the setting is on. */
  readonly isAllowed: () => boolean;
  readonly publish: (project: Project) => void;
}

interface ProjectChecks {
  /** Null: this project has no worker. */
  readonly process: ScratchProcess | null;
  checker: { readonly registry: Registry; readonly own: StatementChecker } | null;
  compiled: ProjectTexts | null;
  isRunning: boolean;
  isWanted: boolean;
  ends: number;
  isErrorLogged: boolean;
  /** The last request to the process. */
  turn: Promise<unknown>;
}

/** The process has one database for all requests, so it gets one at a time. */
function takeTurn<T>(checks: ProjectChecks, work: () => Promise<T>): Promise<T> {
  const own = checks.turn.then(work, work);
  checks.turn = own;
  return own;
}

export function createStatementChecks({ connection, isAllowed, publish }: StatementCheckOptions): StatementChecks {
  const known = new Map<Project, ProjectChecks>();
  let over = false;

  function open(project: Project): ProjectChecks {
    const before = known.get(project);
    if (before !== undefined) return before;
    const worker = findScratchWorker(project.folder);
    if (worker === null) connection.console.info(`No database checks the statements of ${project.folder}: ${MISSING}`);
    const process =
      worker === null
        ? null
        : createScratchProcess({ worker, folder: project.folder, isPatient: true, onEnd: countEnd });
    const opened: ProjectChecks = {
      process,
      checker: null,
      compiled: null,
      isRunning: false,
      isWanted: false,
      ends: 0,
      isErrorLogged: false,
      turn: Promise.resolve(),
    };
    function countEnd(what: string): void {
      opened.ends += 1;
      if (!over && (opened.ends === 1 || opened.ends === MOST_ENDS)) logEnd(what, opened.ends === MOST_ENDS);
    }
    known.set(project, opened);
    return opened;
  }

  function getChecker(project: Project, checks: ProjectChecks, process: ScratchProcess): StatementChecker {
    const { registry, folder } = project;
    if (checks.checker?.registry === registry) return checks.checker.own;
    const own = createScratchChecker({
      registry,
      folder,
      chosen: () => project.config.chosen,
      openScratch: (plugin) => Promise.resolve(process.openScratch(plugin)),
    });
    checks.checker = { registry, own };
    return own;
  }

  /** Also where the text is newer: findings of other statements and definitions are those of this check. */
  function passFindings(project: Project, checks: ProjectChecks, take: (findings: LateFindings) => boolean): void {
    checks.ends = 0;
    if (!over && isAllowed() && project.takeFindings(take)) publish(project);
  }

  async function checkOnce(project: Project, checks: ProjectChecks, process: ScratchProcess): Promise<void> {
    const snapshot = project.getComputedSnapshot();
    // The next publication computes it, and checks again.
    if (snapshot === null) return;
    const { analysis } = snapshot;
    const texts = project.getTexts();
    try {
      const found = await takeTurn(checks, () => getChecker(project, checks, process).check(analysis));
      passFindings(project, checks, (findings) => findings.setStatements(found));
      if (checks.compiled !== null && isDeepStrictEqual(checks.compiled, texts)) return;
      const problems = await takeTurn(checks, () => process.checkSettings(texts));
      checks.compiled = texts;
      passFindings(project, checks, (findings) => findings.setSettings(problems, analysis, texts.source));
    } catch (error) {
      if (over) return;
      if (error instanceof ScratchProcessEnd) checks.isWanted = checks.ends < MOST_ENDS;
      else if (!checks.isErrorLogged) {
        checks.isErrorLogged = true;
        logError(connection, error);
      }
    }
  }

  function logEnd(what: string, isLast: boolean): void {
    const next = isLast ? 'it is not started again' : 'it is started again';
    connection.console.warn(`The process that checks statements has ended (${what}); ${next}.`);
  }

  async function run(project: Project, checks: ProjectChecks, process: ScratchProcess): Promise<void> {
    checks.isRunning = true;
    while (checks.isWanted && !over) {
      checks.isWanted = false;
      await checkOnce(project, checks, process);
    }
    checks.isRunning = false;
  }

  return {
    check(project) {
      if (over || !isAllowed()) return;
      const resources = project.getComputedSnapshot()?.analysis.resources.length ?? 0;
      if (resources === 0 && !known.has(project)) return;
      const checks = open(project);
      if (checks.process === null || checks.ends >= MOST_ENDS) return;
      checks.isWanted = true;
      if (!checks.isRunning) void run(project, checks, checks.process);
    },
    async findRejections(project, trial) {
      const none: StatementRejections = new Map();
      if (over || !isAllowed()) return none;
      const checks = open(project);
      const { process } = checks;
      if (process === null || checks.ends >= MOST_ENDS) return none;
      try {
        const found = await takeTurn(checks, () => getChecker(project, checks, process).check(trial, true));
        return found.rejections;
      } catch (error) {
        if (!over && !(error instanceof ScratchProcessEnd)) logError(connection, error);
        return none;
      }
    },
    close() {
      over = true;
      for (const { process } of known.values()) process?.close();
    },
  };
}

/** The worker of this package, or that of the `lintel` that the project has installed; null if there is none. */
function findScratchWorker(folder: string): string | null {
  const own = join(findPackageFolder(import.meta.url), SCRATCH_WORKER);
  if (existsSync(own)) return own;
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, 'node_modules/lintel', SCRATCH_WORKER);
    if (existsSync(file)) return file;
    if (dirname(at) === at) return null;
  }
}

const MISSING = 'no `lintel` with a database for it is installed there (`npm install lintel`).';
