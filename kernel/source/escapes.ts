/** Offsets inside a JSON string: from the decoded text (what languages in strings see) to the text of the file. */
import type { Document } from './document.js';
import type { LocatedNode } from './tree.js';

/** Document offset of decoded offset `decoded` of a string node. */
export function offsetInString(doc: Document, node: LocatedNode, decoded: number): number {
  let at = node.start + 1;
  for (let i = 0; i < decoded && at < node.end - 1; i++) {
    if (doc.text[at] !== '\\') at += 1;
    else at += doc.text[at + 1] === 'u' ? 6 : 2;
  }
  return at;
}
