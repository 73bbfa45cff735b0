/** Offsets inside a JSON string: between the decoded text (what languages in strings see) and the text of the file. */
import type { Document } from './document.js';
import type { LocatedNode } from './tree.js';

type Place = Pick<LocatedNode, 'start' | 'end'>;

/** Behind the character (or the whole escape) at an offset. */
const behind = ({ text }: Document, at: number): number =>
  text[at] !== '\\' ? at + 1 : at + (text[at + 1] === 'u' ? 6 : 2);

/** Where the content of a string ends: in front of its quote, or of nothing where nobody has closed it. */
export function contentEnd(doc: Document, { start, end }: Place): number {
  let at = start + 1;
  while (at < end && doc.text[at] !== '"') at = behind(doc, at);
  return Math.min(at, end);
}

/** Document offset of decoded offset `decoded` of a string node; the end of its content for what lies beyond. */
export function offsetInString(doc: Document, { start, end }: Place, decoded: number): number {
  let at = start + 1;
  for (let i = 0; i < decoded && at < end && doc.text[at] !== '"'; i++) at = behind(doc, at);
  return Math.min(at, end);
}

/** What stands between two offsets of the decoded text, as a place in the document. */
export const spotInString = (
  doc: Document,
  node: Place,
  { start, end }: Place,
): Place & { readonly doc: Document } => ({
  doc,
  start: offsetInString(doc, node, start),
  end: offsetInString(doc, node, end),
});

/** The other way: the decoded offset at document offset `offset`; one inside an escape belongs to its character. */
export function decodedOffset(doc: Document, node: Place, offset: number): number {
  let at = node.start + 1;
  let decoded = 0;
  while (at < offset && at < node.end) {
    const next = behind(doc, at);
    if (next > offset) break;
    at = next;
    decoded += 1;
  }
  return decoded;
}

/** The document offsets of one string: what `offsetInString` gives, for offsets that are asked in rising order. */
export function stringOffsets(doc: Document, node: Place): (decoded: number) => number {
  const { start, end } = node;
  const escape = doc.text.slice(start, end).indexOf('\\');
  // Up to the first escape both count alike.
  const plain = escape === -1 ? contentEnd(doc, node) : start + escape;
  let at = plain;
  let count = plain - start - 1;
  return (decoded) => {
    if (decoded <= plain - start - 1) return start + 1 + decoded;
    if (decoded < count) return offsetInString(doc, node, decoded);
    for (; count < decoded && at < end && doc.text[at] !== '"'; count++) at = behind(doc, at);
    return Math.min(at, end);
  };
}
