/**
 * What another process finds behind the diagnostics: the answers of a database to statements, and what would stop a start. Each
 * finding holds while the text that it is about stays the same.
 */
import { isDeepStrictEqual } from 'node:util';
import type { StatementRejections } from '../language/analysis/checks/rejections.js';
import type { Problem, Range } from '../contract/problem.js';
import type { StatementDescription } from '../contract/statement-check.js';
import type { SqlText } from '../language/analysis/facts.js';
import type { Analysis } from '../language/analysis/analysis.js';
import type { Definition } from '../language/analysis/model.js';
import { areEqualRejections, type StatementFindings } from '../language/project/statement-checks.js';
import { rangeAt } from '../language/source/document.js';

export interface LateFindings {
  readonly refusals: StatementRejections;
  /** Null where no database has described the statement as it is written now. */
  describeStatement(statement: SqlText): StatementDescription | null;
  /** Takes the answers of a database. Returns true if the problems may be other ones now. */
  setStatements(findings: StatementFindings): boolean;
  /** Takes what would stop a start with the texts of this analysis. Returns true if the problems may be other ones now. */
  setSettings(problems: readonly Problem[], analysis: Analysis, source: string | null): boolean;
  /** What would stop a start and is about text that is still there, where it stands now. */
  listSettingProblems(analysis: Analysis, source: string | null): readonly Problem[];
}

interface SettingProblem {
  readonly problem: Problem;
  /** The definition that it is in, which stays the same object while its text does; null: it is in the config. */
  readonly definition: Definition | null;
  /** Where the definition was. */
  readonly before: Range;
}

const NOWHERE: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

export function createLateFindings(): LateFindings {
  let statements: StatementFindings = { rejections: new Map(), descriptions: new Map() };
  let settings: readonly SettingProblem[] = [];
  let problems: readonly Problem[] = [];
  let config: string | null = null;

  return {
    get refusals() {
      return statements.rejections;
    },
    describeStatement: (statement) => statements.descriptions.get(statement) ?? null,
    setStatements(found) {
      const isSame = areEqualRejections(statements.rejections, found.rejections);
      statements = found;
      return !isSame;
    },
    setSettings(found, { definitions }, source) {
      const isSame = isDeepStrictEqual(found, problems);
      problems = found;
      config = source;
      settings = found.map((problem) => {
        const definition = definitions.find((one) => isWithin(problem, one)) ?? null;
        return { problem, definition, before: definition === null ? NOWHERE : getRange(definition) };
      });
      return !isSame;
    },
    listSettingProblems({ definitions }, source) {
      if (settings.length === 0) return [];
      const there = new Set(definitions);
      return settings.flatMap(({ problem, definition, before }) => {
        if (definition === null) return source === config ? [problem] : [];
        return there.has(definition) ? [movePast(problem, before, getRange(definition))] : [];
      });
    },
  };
}

const getRange = ({ doc, node }: Definition): Range => rangeAt(doc, node.start, node.end);

function isWithin({ file, range }: Problem, definition: Definition): boolean {
  if (definition.doc.file !== file) return false;
  const { start, end } = getRange(definition);
  const { line, character } = range.start;
  return (
    (line > start.line || (line === start.line && character >= start.character)) &&
    (line < end.line || (line === end.line && character <= end.character))
  );
}

/** Only the text before the definition has changed. */
function movePast(problem: Problem, before: Range, now: Range): Problem {
  const lines = now.start.line - before.start.line;
  const characters = now.start.character - before.start.character;
  if (lines === 0 && characters === 0) return problem;
  const movePosition = ({ line, character }: Range['start']): Range['start'] => ({
    line: line + lines,
    character: line === before.start.line ? character + characters : character,
  });
  return { ...problem, range: { start: movePosition(problem.range.start), end: movePosition(problem.range.end) } };
}
