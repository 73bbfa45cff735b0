/** Publishes the problems of statements in editors of their own: those that the definition would have with this text. */
import type { Diagnostic, Range } from 'vscode-languageserver';
import type { Problem } from '../../contract/problem.js';
import { toDiagnostic } from '../diagnostics.js';
import type { DiagnosticReports } from '../diagnostic-reports.js';
import { logError } from '../log-error.js';
import type { StatementChecks } from '../statement-checks.js';
import { DiagnosticSeverity } from '../protocol.js';
import type { ServerContext } from '../server-context.js';
import { openStatement, type StatementDocument } from './statement-document.js';
import { readStatementText, StatementTextError } from './statement-text.js';

/** Milliseconds without a letter. */
const PAUSE = 150;

export interface StatementProblems {
  scheduleCheck(uri: string): void;
  clear(uri: string): void;
  stop(): void;
}

interface StatementProblemOptions {
  readonly server: ServerContext;
  readonly getReports: () => DiagnosticReports;
  readonly pause: () => number | undefined;
  /** Asks a database. */
  readonly findRejections: StatementChecks['findRejections'];
}

export function createStatementProblems({
  server,
  getReports,
  pause,
  findRejections,
}: StatementProblemOptions): StatementProblems {
  const timers = new Map<string, NodeJS.Timeout>();
  const cancelTimer = (uri: string): void => {
    clearTimeout(timers.get(uri));
    timers.delete(uri);
  };
  const publish = async (uri: string): Promise<void> => {
    cancelTimer(uri);
    // Another letter has begun another round, and a closed document shows nothing.
    const isOver = (): boolean => timers.has(uri) || server.getOpenText(uri) === null;
    const report = (diagnostics: Diagnostic[]): void => {
      if (!isOver()) getReports().replaceReports(uri, new Map([[uri, diagnostics]]), true);
    };
    const statement = await openStatement(server, uri);
    if (statement === null) return report(listLegendProblems(server.getOpenText(uri) ?? ''));
    const { view } = statement;
    const { project, name, doc } = view;
    report(toStatementDiagnostics(server, statement, project.findNewProblems(name, doc.text, [])));
    const rejections = await findRejections(project, project.analyseTrial(name, doc.text, new Map()));
    if (rejections.size === 0 || isOver()) return;
    const { problems } = project.analyseTrial(name, doc.text, rejections);
    const shown = problems.filter(({ severity }) => severity !== 'hint');
    report(toStatementDiagnostics(server, statement, shown));
  };
  return {
    scheduleCheck(uri) {
      cancelTimer(uri);
      const run = (): void => void publish(uri).catch((error: unknown) => logError(server.connection, error));
      timers.set(uri, setTimeout(run, pause() ?? PAUSE));
    },
    clear(uri) {
      cancelTimer(uri);
      getReports().replaceReports(uri, new Map(), true);
    },
    stop() {
      for (const uri of timers.keys()) cancelTimer(uri);
    },
  };
}

const toStatementDiagnostics = (
  server: ServerContext,
  statement: StatementDocument,
  problems: readonly Problem[],
): Diagnostic[] =>
  problems.flatMap((problem) => {
    const range = findStatementRange(problem, statement);
    if (range === null) return [];
    return [{ ...toDiagnostic(problem, statement.view.project, (name) => server.toClientUri(name)), range }];
  });

/** In the statement, or at the line of a parameter. Null for a problem of something else. */
function findStatementRange({ file, range }: Problem, statement: StatementDocument): Range | null {
  const { view, located, doc, toPosition, text } = statement;
  if (file !== view.doc.file) return null;
  const own = statement.toStatementRange(range);
  if (own !== null) return own;
  const at = view.offsetAt(range.start);
  if (at === located.node.start) return { start: toPosition(text.start), end: toPosition(doc.text.length) };
  const line = (located.list?.items ?? []).findIndex(({ start, end }) => start <= at && at < end);
  if (line < 0 || text.parameters === null) return null;
  const end = (doc.lineStarts[line + 1] ?? doc.text.length + 1) - 1;
  return { start: { line, character: 0 }, end: toPosition(end) };
}

function listLegendProblems(text: string): Diagnostic[] {
  try {
    readStatementText(text);
    return [];
  } catch (error) {
    if (!(error instanceof StatementTextError)) throw error;
    const line = Number(/^Line (\d+)/.exec(error.message)?.[1] ?? 1) - 1;
    const range = { start: { line, character: 0 }, end: { line: line + 1, character: 0 } };
    return [{ range, severity: DiagnosticSeverity.Error, source: 'lintel', message: error.message }];
  }
}
