/** Applies fixes one at a time; each must reduce the number of problems. Pure. */
import type { Fix, Position, Problem, Severity } from '../../contract/problem.js';
import type { SourceFile } from './analyse.js';
import { createDocument, type Document } from '../source/document.js';

/** Comments and layout around the ranges are unchanged. */
export function applyFix(files: readonly SourceFile[], fix: Fix): SourceFile[] {
  return files.map((source) => {
    if (source.file !== fix.file) return source;
    const doc = createDocument(source.file, source.text);
    const changes = [fix, ...(fix.more ?? [])]
      .map(({ range, text }) => ({ start: toOffset(doc, range.start), end: toOffset(doc, range.end), text }))
      .sort((a, b) => b.start - a.start);
    const text = changes.reduce((made, one) => made.slice(0, one.start) + one.text + made.slice(one.end), doc.text);
    return { ...source, text };
  });
}

const toOffset = ({ lineStarts, text }: Document, { line, character }: Position): number =>
  (lineStarts[line] ?? text.length) + character;

export interface FixResult {
  readonly files: readonly SourceFile[];
  /** In order of application. */
  readonly applied: readonly Problem[];
}

/** `all`: also applies fixes that need review. */
export function applyFixes(
  files: readonly SourceFile[],
  findProblems: (files: readonly SourceFile[]) => readonly Problem[],
  all: boolean,
): FixResult {
  let [now, problems] = [files, findProblems(files)];
  const done: Problem[] = [];
  const tried = new Set<string>();
  for (;;) {
    const next = problems.find(
      (one) => one.fix && (all || one.fix.asks !== true) && !tried.has(getFixKey(one, one.fix)),
    );
    if (next?.fix === undefined) return { files: now, applied: done };
    tried.add(getFixKey(next, next.fix));
    const changed = applyFix(now, next.fix);
    const after = findProblems(changed);
    if (!isBetter(problems, after)) continue;
    [now, problems] = [changed, after];
    done.push(next);
  }
}

const getFixKey = ({ code, message, file, range }: Problem, { text }: Fix): string =>
  JSON.stringify([code, message, file, range.start, text]);

/** No cumulative count grows and at least one shrinks. */
function isBetter(before: readonly Problem[], after: readonly Problem[]): boolean {
  const count = (problems: readonly Problem[], severities: readonly Severity[]): number =>
    problems.filter(({ severity }) => severities.includes(severity)).length;
  const sums: readonly (readonly Severity[])[] = [['error'], ['error', 'warning'], ['error', 'warning', 'hint']];
  const changes = sums.map((severities) => count(after, severities) - count(before, severities));
  return changes.every((change) => change <= 0) && changes.some((change) => change < 0);
}
