/** Mutations that remove one member of an array or an object. */
import ts from 'typescript';
import type { MutationPlace } from './mutation.js';
import { isSkippedNode } from './scope.js';

export function findMembers(node: ts.Node, source: ts.SourceFile): MutationPlace[] {
  if (ts.isArrayLiteralExpression(node)) return removeEach(node.elements, source);
  if (!ts.isObjectLiteralExpression(node)) return [];
  // A function of several lines is not on one line; a method is part of a contract.
  return removeEach(node.properties, source).filter((_, index) => {
    const member = node.properties[index];
    return member !== undefined && !ts.isMethodDeclaration(member) && !isSkippedNode(member, source.fileName);
  });
}

function removeEach(members: ts.NodeArray<ts.Node>, source: ts.SourceFile): MutationPlace[] {
  const text = source.text;
  return members.map((member, index) => {
    const start = member.getStart(source);
    const next = members[index + 1];
    const before = members[index - 1];
    if (next === undefined && before !== undefined && !text.slice(before.end, start).includes('\n')) {
      return { kind: 'member', start: before.end, end: member.end, replacement: '' };
    }
    const hasComma = next !== undefined || members.hasTrailingComma;
    const end = hasComma ? text.indexOf(',', member.end) + 1 : member.end;
    return { kind: 'member', start, end, replacement: '' };
  });
}
