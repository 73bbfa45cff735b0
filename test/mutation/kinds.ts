/** The kinds of mutations: for one node of a syntax tree, every change that applies to the node itself. */
import ts from 'typescript';
import type { MutationKind, MutationPlace } from './mutation.js';
import { findMembers } from './kinds-members.js';
import { findInStatement } from './kinds-statements.js';
import { findInText } from './kinds-texts.js';

const { SyntaxKind } = ts;

const OPERATORS: Readonly<Partial<Record<ts.SyntaxKind, readonly [MutationKind, string]>>> = {
  [SyntaxKind.LessThanToken]: ['compare', '<='],
  [SyntaxKind.LessThanEqualsToken]: ['compare', '<'],
  [SyntaxKind.GreaterThanToken]: ['compare', '>='],
  [SyntaxKind.GreaterThanEqualsToken]: ['compare', '>'],
  [SyntaxKind.EqualsEqualsEqualsToken]: ['compare', '!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken]: ['compare', '==='],
  [SyntaxKind.AmpersandAmpersandToken]: ['logic', '||'],
  [SyntaxKind.BarBarToken]: ['logic', '&&'],
  [SyntaxKind.QuestionQuestionEqualsToken]: ['logic', '='],
  [SyntaxKind.BarBarEqualsToken]: ['logic', '='],
  [SyntaxKind.PlusToken]: ['arithmetic', '-'],
  [SyntaxKind.MinusToken]: ['arithmetic', '+'],
  [SyntaxKind.AsteriskToken]: ['arithmetic', '/'],
  [SyntaxKind.SlashToken]: ['arithmetic', '*'],
  [SyntaxKind.PlusEqualsToken]: ['arithmetic', '-='],
  [SyntaxKind.MinusEqualsToken]: ['arithmetic', '+='],
};

const MATH: Readonly<Record<string, string>> = { min: 'max', max: 'min', ceil: 'floor', floor: 'ceil' };
const CUTS = new Set(['slice', 'subarray', 'substring']);
/** Calls in a chain that return the same object or a similar one. */
const CHAINED = new Set(
  'required integer min max length matches oneOf nullable trim toLowerCase toUpperCase filter sort reverse flat'.split(
    ' ',
  ),
);
/** Larger numbers are limits and durations: one more makes no difference. */
const SMALL = 300;

export function findMutations(node: ts.Node, source: ts.SourceFile): MutationPlace[] {
  return [
    ...findInExpression(node, source),
    ...findInStatement(node, source),
    ...findInText(node, source),
    ...findMembers(node, source),
  ];
}

function findInExpression(node: ts.Node, source: ts.SourceFile): MutationPlace[] {
  if (ts.isBinaryExpression(node)) return findInOperator(node, source);
  if (ts.isConditionalExpression(node)) return replaceCondition('condition', node.condition, source);
  if (ts.isPrefixUnaryExpression(node)) return findInPrefix(node, source);
  if (ts.isPostfixUnaryExpression(node)) {
    const replacement = node.operator === SyntaxKind.PlusPlusToken ? '--' : '++';
    return [{ kind: 'arithmetic', start: node.operand.end, end: node.end, replacement }];
  }
  if (node.kind === SyntaxKind.TrueKeyword) return [replaceNode('boolean', node, source, 'false')];
  if (node.kind === SyntaxKind.FalseKeyword) return [replaceNode('boolean', node, source, 'true')];
  if (ts.isNumericLiteral(node)) return findInNumber(node, source);
  return ts.isCallExpression(node) ? findInCall(node, source) : [];
}

const replaceNode = (kind: MutationKind, node: ts.Node, source: ts.SourceFile, replacement: string): MutationPlace => ({
  kind,
  start: node.getStart(source),
  end: node.end,
  replacement,
});

/** The condition of an `if` that leaves its function is a guard. */
export function replaceCondition(
  kind: 'guard' | 'condition',
  condition: ts.Expression,
  source: ts.SourceFile,
  values: readonly string[] = ['false', 'true'],
): MutationPlace[] {
  if (condition.kind === SyntaxKind.TrueKeyword || condition.kind === SyntaxKind.FalseKeyword) return [];
  return values.map((value) => replaceNode(kind, condition, source, value));
}

function findInOperator(
  { left, operatorToken: token, right }: ts.BinaryExpression,
  source: ts.SourceFile,
): MutationPlace[] {
  const found: MutationPlace[] = [];
  const [kind, replacement] = OPERATORS[token.kind] ?? [];
  const isConcatenation = kind === 'arithmetic' && (isText(left) || isText(right));
  if (kind !== undefined && replacement !== undefined && !isConcatenation) {
    found.push(replaceNode(kind, token, source, replacement));
  }
  if (token.kind === SyntaxKind.QuestionQuestionToken) {
    found.push({ kind: 'logic', start: left.end, end: right.end, replacement: '' });
  }
  // One side of a conjunction.
  if (token.kind === SyntaxKind.AmpersandAmpersandToken || token.kind === SyntaxKind.BarBarToken) {
    found.push({ kind: 'logic', start: left.end, end: right.end, replacement: '' });
    found.push({ kind: 'logic', start: left.getStart(source), end: right.getStart(source), replacement: '' });
  }
  return found;
}

const isText = (node: ts.Expression): boolean => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

function findInPrefix(node: ts.PrefixUnaryExpression, source: ts.SourceFile): MutationPlace[] {
  const start = node.getStart(source);
  const end = node.operand.getStart(source);
  if (node.operator === SyntaxKind.ExclamationToken) return [{ kind: 'negation', start, end, replacement: '' }];
  if (node.operator === SyntaxKind.PlusPlusToken) return [{ kind: 'arithmetic', start, end, replacement: '--' }];
  if (node.operator === SyntaxKind.MinusMinusToken) return [{ kind: 'arithmetic', start, end, replacement: '++' }];
  return [];
}

function findInNumber(node: ts.NumericLiteral, source: ts.SourceFile): MutationPlace[] {
  const value = Number(node.text);
  const { parent } = node;
  const isKey = ts.isPropertyAssignment(parent) && parent.name === node;
  const isIndex = ts.isElementAccessExpression(parent) || (ts.isCallExpression(parent) && isPosition(parent));
  if (isKey || ts.isEnumMember(parent) || (isIndex && value < 2)) return [];
  // Directions and positions in an order, whose values carry little meaning.
  if (ts.isPrefixUnaryExpression(parent) && parent.operator === SyntaxKind.MinusToken && value > 0) {
    return [replaceNode('number', parent, source, node.text)];
  }
  if (ts.isPropertyAssignment(parent) && parent.name.getText(source) === 'order' && value > 0) {
    return [replaceNode('number', node, source, `-${node.text}`)];
  }
  if (!Number.isInteger(value)) return [replaceNode('number', node, source, String(value * 2))];
  if (value >= SMALL) return [replaceNode('number', node, source, String(Math.floor(value / 2)))];
  return [value + 1, ...(value > 0 ? [value - 1] : [])].map((next) =>
    replaceNode('number', node, source, String(next)),
  );
}

const isPosition = ({ expression }: ts.CallExpression): boolean =>
  ts.isPropertyAccessExpression(expression) && ['at', 'slice', 'charCodeAt', 'splice'].includes(expression.name.text);

function findInCall(node: ts.CallExpression, source: ts.SourceFile): MutationPlace[] {
  const { expression } = node;
  if (!ts.isPropertyAccessExpression(expression)) return [];
  const found: MutationPlace[] = [];
  const name = expression.name.text;
  const other = MATH[name];
  if (other !== undefined && expression.expression.getText(source) === 'Math') {
    found.push(replaceNode('math', expression.name, source, other));
  }
  if (CUTS.has(name)) {
    for (const argument of node.arguments) {
      found.push({ kind: 'slice', start: argument.end, end: argument.end, replacement: ' + 1' });
    }
  }
  if (CHAINED.has(name) && expression.expression.getText(source) !== 'Math') {
    found.push({ kind: 'chain', start: expression.expression.end, end: node.end, replacement: '' });
  }
  return found;
}
