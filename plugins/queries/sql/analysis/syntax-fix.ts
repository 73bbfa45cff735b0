/** Finds one small change after which the whole statement parses. */
import type { StatementText, StatementToken } from '../../../../contract/statement-text.js';
import { findNearest } from '../../../../language/source/suggest.js';

export interface SqlFix {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly title: string;
}

const KEYWORDS = (
  'SELECT INSERT UPDATE DELETE FROM WHERE INTO VALUES RETURNING ORDER GROUP HAVING LIMIT OFFSET JOIN INNER LEFT OUTER UNION ' +
  'DISTINCT BETWEEN EXISTS CONFLICT NOTHING TRUE FALSE NULL WITH CASE WHEN THEN ELSE INTERVAL'
).split(' ');

const OPERATORS: Readonly<Record<string, string>> = { '=>': '>=', '=<': '<=', '!==': '<>', '&&': 'AND', '||': 'OR' };

/** `fault`: offset of the error. The first change that `reads` accepts. */
export function findSyntaxFix(
  { text, tokens }: StatementText,
  fault: number,
  reads: (text: string) => boolean,
): SqlFix | null {
  const solid = tokens.filter(({ type }) => type !== 'comment');
  const found = solid.findIndex(({ end }) => end > fault);
  const at = found === -1 ? solid.length - 1 : found;
  const mends = [at, at - 1, at + 1].flatMap((index) => {
    const token = solid[index];
    return token === undefined ? [] : suggestReplacement(text, token);
  });
  return (
    [...mends, ...findForeignPhrases(text)].find(({ start, end, text: right }) =>
      reads(text.slice(0, start) + right + text.slice(end)),
    ) ?? null
  );
}

function suggestReplacement(text: string, { type, start, end }: StatementToken): SqlFix[] {
  const written = text.slice(start, end);
  const createReplacement = (right: string): SqlFix[] => [{ start, end, text: right, title: `change to ${right}` }];
  if (written === ',') return [{ start, end, text: '', title: 'remove the comma' }];
  if (type === 'word') {
    const near = findNearest(written.toUpperCase(), KEYWORDS);
    return near === undefined ? [] : createReplacement(near);
  }
  if (type !== 'operator') return [];
  const trimmed = written.trim();
  const right = Object.hasOwn(OPERATORS, trimmed) ? OPERATORS[trimmed] : undefined;
  return right === undefined ? [] : createReplacement(right);
}

/** Multi-word syntax of other databases. */
function findForeignPhrases(text: string): SqlFix[] {
  const found: SqlFix[] = [];
  for (const [pattern, write] of PHRASES) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const right = write(match);
    found.push({ start: match.index, end: match.index + match[0].length, text: right, title: `change to ${right}` });
  }
  return found;
}

const PHRASES: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
  [/\bLIMIT\s+(\S+)\s*,\s*(\S+)/i, ([, skipped, count]) => `LIMIT ${count} OFFSET ${skipped}`],
  [/\bINTERVAL\s+(\d+)\s+([a-z]+)/i, ([, count, unit = '']) => `interval '${count} ${unit.toLowerCase()}'`],
];
