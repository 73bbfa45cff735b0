/** Formats a problem for a terminal: location, message, and the marked source line. */
import type { Problem } from '../../contract/problem.js';
import { getWhole, type Document } from './document.js';

export type StyleText = (style: 'error' | 'warning' | 'hint' | 'dim' | 'bold', text: string) => string;

const getLine = (doc: Document, line: number): string => {
  const start = doc.lineStarts[line] ?? doc.text.length;
  const end = doc.lineStarts[line + 1] ?? doc.text.length;
  return doc.text.slice(start, end).replace(/[\r\n]+$/, '');
};

/** Without `doc` only the message. `within`: the enclosing definition. */
export function formatCodeFrame(
  problem: Problem,
  doc: Document | undefined,
  paint: StyleText,
  within: string | null = null,
): string {
  const { start, end } = problem.range;
  const place = `${problem.file}:${start.line + 1}:${start.character + 1}`;
  const rows = [`${paint(problem.severity, problem.severity)} ${paint('dim', problem.code)} ${problem.message}`];
  const gutter = String(start.line + 1).length;
  rows.push(
    `${' '.repeat(gutter)} ${paint('dim', '╭─')} ${paint('bold', place)}${within === null ? '' : ` in "${within}"`}`,
  );
  if (doc !== undefined) {
    const text = getLine(getWhole(doc), start.line);
    const width =
      end.line === start.line ? Math.max(1, end.character - start.character) : text.length - start.character;
    const tabs = text.slice(0, start.character).replace(/[^\t]/g, ' ');
    rows.push(`${paint('dim', `${start.line + 1} │`)} ${text}`);
    rows.push(
      `${' '.repeat(gutter)} ${paint('dim', '│')} ${tabs}${paint(problem.severity, '^'.repeat(Math.max(1, width)))}`,
    );
  }
  for (const related of problem.related) {
    const at = `${related.file}:${related.range.start.line + 1}:${related.range.start.character + 1}`;
    rows.push(`${' '.repeat(gutter)} ${paint('dim', '├')} ${at} ${related.message}`);
  }
  const fixes = [...(problem.fix === undefined ? [] : [problem.fix]), ...(problem.others ?? [])];
  const titles = fixes.map(({ title }) => title).join('; or ');
  if (titles !== '') rows.push(`${' '.repeat(gutter)} ${paint('dim', '╰')} fix: ${titles}`);
  return rows.join('\n');
}
