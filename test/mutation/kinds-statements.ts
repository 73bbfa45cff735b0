/** Mutations of statements: dropped guards, awaits, calls, throws and returns. */
import ts from 'typescript';
import { replaceCondition } from './kinds.js';
import type { MutationPlace } from './mutation.js';

/** Calls that only report. */
const REPORTS = /^(log|this\.log|console|logger)\.|\.log\.(debug|info|warn|error)\(|^super\(|\.(debug|info|warn)\(/;

export function findInStatement(node: ts.Node, source: ts.SourceFile): MutationPlace[] {
  if (ts.isIfStatement(node)) {
    const kind = isExit(node.thenStatement) ? 'guard' : 'condition';
    return replaceCondition(kind, node.expression, source);
  }
  // A loop that never ends is found by the limit only.
  if (ts.isWhileStatement(node)) return replaceCondition('condition', node.expression, source, ['false']);
  if (ts.isExpressionStatement(node)) return findInExpressionStatement(node, source);
  if (ts.isThrowStatement(node)) return [disableStatement('throw', node, source)];
  const isBare = ts.isReturnStatement(node) && node.expression === undefined;
  return isBare ? [disableStatement('return', node, source)] : [];
}

/** A statement that leaves the function or the round of a loop, alone or last in a block. */
function isExit(statement: ts.Statement): boolean {
  if (ts.isBlock(statement)) {
    const last = statement.statements.at(-1);
    return last !== undefined && isExit(last);
  }
  return (
    ts.isReturnStatement(statement) ||
    ts.isThrowStatement(statement) ||
    ts.isContinueStatement(statement) ||
    ts.isBreakStatement(statement)
  );
}

function findInExpressionStatement(node: ts.ExpressionStatement, source: ts.SourceFile): MutationPlace[] {
  const found: MutationPlace[] = [];
  let { expression } = node;
  if (ts.isAwaitExpression(expression)) {
    const start = expression.getStart(source);
    found.push({ kind: 'await', start, end: expression.expression.getStart(source), replacement: '' });
    expression = expression.expression;
  } else if (ts.isVoidExpression(expression)) expression = expression.expression;
  if (ts.isCallExpression(expression) && !REPORTS.test(expression.getText(source))) {
    found.push(disableStatement('call', node, source));
  }
  return found;
}

/** A statement of several lines is disabled by what is written before it. */
function disableStatement(kind: 'call' | 'throw' | 'return', node: ts.Statement, source: ts.SourceFile): MutationPlace {
  const start = node.getStart(source);
  const isOneLine = !node.getText(source).includes('\n');
  return isOneLine
    ? { kind, start, end: node.end, replacement: '{}' }
    : { kind, start, end: start, replacement: 'if (false) ' };
}
