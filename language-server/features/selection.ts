/** Selection ranges: word, accessor, string content, string, member, enclosing object, and so on. */
import type { SelectionRange } from 'vscode-languageserver';
import { listAccessors } from '../../language/strings/accessor.js';
import { findContentEnd, toDecodedOffset, toDocumentOffset } from '../../language/source/escapes.js';
import type { LocatedNode } from '../../language/source/tree.js';
import { createDocumentHandler, type Feature } from '../server-context.js';
import type { DocumentContext } from '../document-context.js';

export const selection: Feature = {
  capabilities: () => ({ selectionRangeProvider: true }),
  attach: (server) =>
    server.connection.onSelectionRanges(
      createDocumentHandler(server, [], (view, { positions }) =>
        positions.map((position) => selectAt(view, view.offsetAt(position))),
      ),
    ),
};

interface Span {
  readonly start: number;
  readonly end: number;
}

const isEnclosing = (outer: Span, inner: Span): boolean => outer.start <= inner.start && inner.end <= outer.end;

function selectAt(view: DocumentContext, offset: number): SelectionRange {
  const spans: Span[] = [{ start: 0, end: view.doc.text.length }];
  let node = view.tree.root;
  while (node !== null) {
    if (offset < node.start || offset > node.end) break;
    spans.push(node);
    if (node.type === 'string') spans.push(...insideString(view, node, offset));
    node = nextIn(view, node, offset, spans);
  }
  let selected: SelectionRange = { range: view.range(offset, offset) };
  let inner: Span | null = null;
  let parent: SelectionRange | undefined;
  for (const span of spans) {
    if (inner !== null && (!isEnclosing(inner, span) || (inner.start === span.start && inner.end === span.end)))
      continue;
    selected = { range: view.range(span.start, span.end), ...(parent !== undefined && { parent }) };
    [inner, parent] = [span, selected];
  }
  return selected;
}

/** The value at the offset; its member is a separate step. */
function nextIn(view: DocumentContext, node: LocatedNode, offset: number, spans: Span[]): LocatedNode | null {
  const isAtOffset = (span: Span): boolean => span.start <= offset && offset <= span.end;
  for (const { keyStart, keyEnd, value } of node.members) {
    const member = { start: keyStart, end: value?.end ?? keyEnd };
    if (!isAtOffset(member)) continue;
    spans.push(member);
    const key = { start: keyStart, end: keyEnd };
    if (!isAtOffset(key)) return value;
    spans.push(key, ...insideString(view, key, offset));
    return null;
  }
  return node.items.find(isAtOffset) ?? null;
}

/** Content, accessor and word; none if the cursor is on a quote. */
function insideString(view: DocumentContext, token: Span, offset: number): Span[] {
  const { doc } = view;
  const content = { start: token.start + 1, end: findContentEnd(doc, token) };
  if (offset < content.start || offset > content.end) return [];
  const spans: Span[] = [content];
  const text = decodeString(doc.text.slice(token.start, token.end));
  const here = toDecodedOffset(doc, token, offset);
  const createFileSpan = (start: number, end: number): Span => ({
    start: toDocumentOffset(doc, token, start),
    end: toDocumentOffset(doc, token, end),
  });
  const accessor = listAccessors(text).find(({ start, end }) => start <= here && here <= end);
  if (accessor !== undefined) spans.push(createFileSpan(accessor.start, accessor.end));
  for (const word of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    const end = word.index + word[0].length;
    if (word.index <= here && here <= end) spans.push(createFileSpan(word.index, end));
  }
  return spans;
}

function decodeString(source: string): string {
  try {
    return String(JSON.parse(source));
  } catch {
    return source.slice(1).replace(/"$/, '');
  }
}
