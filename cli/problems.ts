/** Formats problems for `check`: code frames, JSON rows, or SARIF. */
import type { CodeEntry, Problem } from '../contract/problem.js';
import { formatCodeFrame, type StyleText } from '../language/source/code-frame.js';
import type { Project } from '../language/project/project.js';
import type { Document } from '../language/source/document.js';

export function formatProblems(
  problems: readonly Problem[],
  documents: ReadonlyMap<string, Document>,
  paint: StyleText,
  { acknowledged = 0, nameOf = () => null }: ProblemFormatOptions = {},
): string {
  const frames = groupByCause(problems).map(([first, ...others]) => {
    const frame = formatCodeFrame(first, documents.get(first.file), paint, nameOf(first));
    return others.length === 0 ? frame : `${frame}\n${paint('dim', formatOtherLocations(others))}`;
  });
  const rest = acknowledged === 0 ? '' : ` (${acknowledged} acknowledged)`;
  return [...frames, formatProblemCounts(problems) + rest].join('\n\n');
}

export interface ProblemFormatOptions {
  readonly acknowledged?: number | undefined;
  /** Name of the definition that contains the problem, for files with several. */
  readonly nameOf?: ((problem: Problem) => string | null) | undefined;
}

/** Problems of one cause, the most severe first, are shown once with all locations. */
function groupByCause(problems: readonly Problem[]): (readonly [Problem, ...Problem[]])[] {
  const causes = new Map<string, [Problem, ...Problem[]]>();
  for (const [at, problem] of problems.entries()) {
    // An error without a declared cause has to be solved at its own location.
    const label = problem.severity === 'error' ? String(at) : `${problem.code} ${problem.message}`;
    const key = problem.cause ?? label;
    const known = causes.get(key);
    if (known === undefined) causes.set(key, [problem]);
    else if (problem.severity === 'error' && known[0].severity !== 'error') known.unshift(problem);
    else known.push(problem);
  }
  return [...causes.values()];
}

const SHOWN = 3;

function formatOtherLocations(problems: readonly Problem[]): string {
  const places = problems
    .slice(0, SHOWN)
    .map(({ file, range: { start } }) => `${file}:${start.line + 1}:${start.character + 1}`);
  const rest = problems.length - places.length;
  return `  also at ${places.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`;
}

/** Counts causes, and says at how many locations they are. */
export function formatProblemCounts(problems: readonly Problem[]): string {
  const causes = groupByCause(problems);
  const count = (severity: Problem['severity'], word: string): string => {
    const n = causes.filter(([first]) => first.severity === severity).length;
    return `${n} ${word}${n === 1 ? '' : 's'}`;
  };
  const places = causes.length === problems.length ? '' : `, at ${problems.length} places`;
  return `${count('error', 'error')}, ${count('warning', 'warning')}, ${count('hint', 'hint')}${places}`;
}

/** One row per problem; positions are zero-based, as in LSP. */
export const formatProblemsJson = (problems: readonly Problem[]): string =>
  JSON.stringify(
    problems.map(({ code, severity, message, file, range, related, fix, others = [] }) => ({
      code,
      severity,
      message,
      file,
      range,
      related,
      fix: fix ?? null,
      others,
    })),
    null,
    2,
  );

const LEVELS = { error: 'error', warning: 'warning', hint: 'note' } as const;

/** SARIF 2.1.0; regions are one-based. */
export function formatSarif(
  problems: readonly Problem[],
  codes: Readonly<Record<string, CodeEntry>>,
  version: string,
): string {
  const used = [...new Set(problems.map((problem) => problem.code))].sort();
  return JSON.stringify(
    {
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: [
        {
          tool: {
            driver: {
              name: 'lintel',
              version,
              rules: used.map((id) => ({
                id,
                shortDescription: { text: codes[id]?.title ?? id },
                help: { text: codes[id]?.help ?? '' },
              })),
            },
          },
          results: problems.map((problem) => ({
            ruleId: problem.code,
            level: LEVELS[problem.severity],
            message: { text: problem.message },
            locations: [toSarifLocation(problem)],
            relatedLocations: problem.related.map((related) => ({
              ...toSarifLocation(related),
              message: { text: related.message },
            })),
          })),
        },
      ],
    },
    null,
    2,
  );
}

const toSarifLocation = ({ file, range }: Pick<Problem, 'file' | 'range'>) => ({
  physicalLocation: {
    artifactLocation: { uri: file.replaceAll('\\', '/') },
    region: {
      startLine: range.start.line + 1,
      startColumn: range.start.character + 1,
      endLine: range.end.line + 1,
      endColumn: range.end.character + 1,
    },
  },
});

export const addConfigDocument = (
  { configDocument }: Project,
  documents: ReadonlyMap<string, Document> = new Map(),
): ReadonlyMap<string, Document> => new Map([...documents, [configDocument.file, configDocument]]);
