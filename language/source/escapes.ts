/** Offsets between the content of a JSON string and the file. */
import type { Document } from './document.js';
import type { LocatedNode } from './tree.js';

type Place = Pick<LocatedNode, 'start' | 'end'>;

/** Offset after the character or escape at `at`. */
const skipCharacter = ({ text }: Document, at: number): number =>
  text[at] !== '\\' ? at + 1 : at + (text[at + 1] === 'u' ? 6 : 2);

/** Before the closing quote, or the node's end if it is unterminated. */
export function findContentEnd(doc: Document, { start, end }: Place): number {
  let at = start + 1;
  while (at < end && doc.text[at] !== '"') at = skipCharacter(doc, at);
  return Math.min(at, end);
}

/** Document offset of a decoded offset in a string, at most the end of its content. */
export function toDocumentOffset(doc: Document, { start, end }: Place, decoded: number): number {
  let at = start + 1;
  for (let i = 0; i < decoded && at < end && doc.text[at] !== '"'; i++) at = skipCharacter(doc, at);
  return Math.min(at, end);
}

/** Document range of a range in the decoded text. */
export const locateInString = (
  doc: Document,
  node: Place,
  { start, end }: Place,
): Place & { readonly doc: Document } => ({
  doc,
  start: toDocumentOffset(doc, node, start),
  end: toDocumentOffset(doc, node, end),
});

/** An offset inside an escape becomes that of its character. */
export function toDecodedOffset(doc: Document, node: Place, offset: number): number {
  let at = node.start + 1;
  let decoded = 0;
  while (at < offset && at < node.end) {
    const next = skipCharacter(doc, at);
    if (next > offset) break;
    at = next;
    decoded += 1;
  }
  return decoded;
}

/** Like `locateInString`, but optimized for ascending offsets in one string. */
export function createOffsetMap(doc: Document, node: Place): (decoded: number) => number {
  const { start, end } = node;
  const escape = doc.text.slice(start, end).indexOf('\\');
  // Before the first escape both offsets advance equally.
  const plain = escape === -1 ? findContentEnd(doc, node) : start + escape;
  let at = plain;
  let count = plain - start - 1;
  return (decoded) => {
    if (decoded <= plain - start - 1) return start + 1 + decoded;
    if (decoded < count) return toDocumentOffset(doc, node, decoded);
    for (; count < decoded && at < end && doc.text[at] !== '"'; count++) at = skipCharacter(doc, at);
    return Math.min(at, end);
  };
}
