/** Returns the string at a JSON pointer inside an actionable. */
import type { ActionModel } from './model.js';
import type { LocatedNode } from '../source/tree.js';

export function getNodeText({ node }: ActionModel, pointer: string): string {
  const found = findNode(node, pointer);
  return found?.type === 'string' ? String(found.scalar) : '';
}

function findNode(node: LocatedNode, pointer: string): LocatedNode | null {
  if (node.pointer === pointer) return node;
  const children = [...node.items, ...node.members.flatMap(({ value }) => value ?? [])];
  const next = children.find((child) => pointer === child.pointer || pointer.startsWith(`${child.pointer}/`));
  return next === undefined ? null : findNode(next, pointer);
}
