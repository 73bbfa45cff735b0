/** Mutations of texts: comparisons, regular expressions, and database statements written as text. */
import ts from 'typescript';
import type { MutationPlace } from './mutation.js';

const SEARCHES = new Set(['has', 'includes', 'startsWith', 'endsWith', 'indexOf', 'get', 'split', 'join']);

/** Database statements, and pieces of them. */
const STATEMENT = /\b(SELECT|INSERT INTO|UPDATE [a-z]|DELETE FROM|WHERE|ORDER BY|redis\.call)\b/;
const REPLACEMENTS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/ AND /g, ' OR '],
  [/ OR /g, ' AND '],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
  [/ \+ 1\b/g, ' + 2'],
  [/ - 1\b/g, ' - 2'],
  [/ DESC\b/g, ''],
  [/ FOR UPDATE( SKIP LOCKED)?/g, ''],
  [/ SKIP LOCKED/g, ''],
  [/ IF NOT EXISTS/g, ''],
  [/ ON CONFLICT .* DO NOTHING/g, ''],
  [/ NULLS (FIRST|LAST)/g, ''],
];

export function findInText(node: ts.Node, source: ts.SourceFile): MutationPlace[] {
  if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) return findInPattern(node, source);
  const isPiece = ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node);
  if (!isPiece && !ts.isStringLiteralLike(node)) return [];
  const whole = isPiece ? node.parent.parent.getText(source) : node.text;
  if (STATEMENT.test(isPiece && ts.isTemplateHead(node) ? node.parent.getText(source) : whole)) {
    return findInStatementText(node, source);
  }
  if (!ts.isStringLiteral(node) || !isCompared(node)) return [];
  return [{ kind: 'string', start: node.getStart(source), end: node.end, replacement: `''` }];
}

function findInStatementText(node: ts.Node, source: ts.SourceFile): MutationPlace[] {
  const start = node.getStart(source);
  const text = node.getText(source);
  return REPLACEMENTS.flatMap(([pattern, replacement]) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }): MutationPlace => {
      const at = start + index;
      return { kind: 'statement', start: at, end: at + found.length, replacement };
    }),
  );
}

/** Without one of its anchors it accepts more, without a flag something else. */
function findInPattern(node: ts.Node, source: ts.SourceFile): MutationPlace[] {
  const start = node.getStart(source);
  const text = node.getText(source);
  const close = text.lastIndexOf('/');
  const createRemoval = (from: number, to: number): MutationPlace => ({
    kind: 'pattern',
    start: start + from,
    end: start + to,
    replacement: '',
  });
  const found: MutationPlace[] = [];
  if (text.startsWith('/^') && close > 2) found.push(createRemoval(1, 2));
  if (/[^\\]\$\//.test(text.slice(0, close + 1)) && close > 2) found.push(createRemoval(close - 1, close));
  if (text.endsWith('/i')) found.push(createRemoval(close + 1, close + 2));
  return found;
}

function isCompared(node: ts.StringLiteral): boolean {
  const { parent } = node;
  if (ts.isCaseClause(parent)) return true;
  if (ts.isBinaryExpression(parent)) return /^[!=]==$/.test(parent.operatorToken.getText());
  if (!ts.isCallExpression(parent) || !ts.isPropertyAccessExpression(parent.expression)) return false;
  return SEARCHES.has(parent.expression.name.text) && node.text !== '';
}
