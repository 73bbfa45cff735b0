/** Turns the edits of a plugin's finding into text changes. */
import type { FindingEdit } from '../../contract/plugin.js';
import { addItems, addMembers, jsonLine, removeItem, removeMember } from '../source/edit-json.js';
import { toDocumentOffset } from '../source/escapes.js';
import type { Document, TextChange } from '../source/document.js';
import { findNode, type LocatedNode } from '../source/tree.js';

/** Null if an edit cannot be applied. */
export function resolveEdits(doc: Document, node: LocatedNode, edits: readonly FindingEdit[]): TextChange[] | null {
  const changes: TextChange[] = [];
  for (const edit of edits) {
    const made = resolveEdit(doc, node, edit);
    if (made === null) return null;
    changes.push(...made);
  }
  return changes;
}

function resolveEdit(doc: Document, node: LocatedNode, edit: FindingEdit): TextChange[] | null {
  const found = findNode(node, edit.at);
  const slash = edit.at.lastIndexOf('/');
  const [above, key] = [edit.at.slice(0, slash), edit.at.slice(slash + 1)];
  const around = findNode(node, above)?.node ?? null;
  if ('add' in edit) {
    const items = edit.add.map((item) => JSON.stringify(item));
    if (found !== null) return found.node.type === 'array' ? [addItems(doc, found.node, items)] : null;
    return around?.type === 'object' ? [addMembers(doc, around, [[key, `[${items.join(', ')}]`]])] : null;
  }
  if ('put' in edit) {
    if (found !== null || around?.type !== 'object') return null;
    return [addMembers(doc, around, [[key, jsonLine(edit.put)]])];
  }
  if (found === null) return null;
  if ('value' in edit) return [{ start: found.node.start, end: found.node.end, text: JSON.stringify(edit.value) }];
  if ('within' in edit) {
    const { start, end } = found.node;
    return [
      { start, end: start, text: `{ ${JSON.stringify(edit.within)}: ` },
      { start: end, end, text: ' }' },
    ];
  }
  if ('remove' in edit) {
    if (around === null) return null;
    return found.member === null ? removeItem(doc, around, found.node) : removeMember(doc, around, found.member);
  }
  if (found.node.type !== 'string') return null;
  const [start, end] = edit.span;
  return [
    { start: toDocumentOffset(doc, found.node, start), end: toDocumentOffset(doc, found.node, end), text: edit.text },
  ];
}
