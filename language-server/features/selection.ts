/** Selection ranges: word, accessor, string content, string, member, enclosing object, and so on. */
import type { SelectionRange } from 'vscode-languageserver';
import { accessorsIn } from '../../language/strings/accessor.js';
import { contentEnd, decodedOffset, offsetInString } from '../../language/source/escapes.js';
import type { LocatedNode } from '../../language/source/tree.js';
import { answering, type Feature } from '../desk.js';
import type { View } from '../view.js';

export const selection: Feature = {
  capabilities: () => ({ selectionRangeProvider: true }),
  attach: (desk) =>
    desk.connection.onSelectionRanges(
      answering(desk, [], (view, { positions }) => positions.map((position) => at(view, view.offsetAt(position)))),
    ),
};

interface Span {
  readonly start: number;
  readonly end: number;
}

const holds = (outer: Span, inner: Span): boolean => outer.start <= inner.start && inner.end <= outer.end;

function at(view: View, offset: number): SelectionRange {
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
    if (inner !== null && (!holds(inner, span) || (inner.start === span.start && inner.end === span.end))) continue;
    selected = { range: view.range(span.start, span.end), ...(parent !== undefined && { parent }) };
    [inner, parent] = [span, selected];
  }
  return selected;
}

/** The value at the offset; its member is a separate step. */
function nextIn(view: View, node: LocatedNode, offset: number, spans: Span[]): LocatedNode | null {
  const within = (span: Span): boolean => span.start <= offset && offset <= span.end;
  for (const { keyStart, keyEnd, value } of node.members) {
    const member = { start: keyStart, end: value?.end ?? keyEnd };
    if (!within(member)) continue;
    spans.push(member);
    const key = { start: keyStart, end: keyEnd };
    if (!within(key)) return value;
    spans.push(key, ...insideString(view, key, offset));
    return null;
  }
  return node.items.find(within) ?? null;
}

/** Content, accessor and word; none if the cursor is on a quote. */
function insideString(view: View, token: Span, offset: number): Span[] {
  const { doc } = view;
  const content = { start: token.start + 1, end: contentEnd(doc, token) };
  if (offset < content.start || offset > content.end) return [];
  const spans: Span[] = [content];
  const text = decoded(doc.text.slice(token.start, token.end));
  const here = decodedOffset(doc, token, offset);
  const place = (start: number, end: number): Span => ({
    start: offsetInString(doc, token, start),
    end: offsetInString(doc, token, end),
  });
  const accessor = accessorsIn(text).find(({ start, end }) => start <= here && here <= end);
  if (accessor !== undefined) spans.push(place(accessor.start, accessor.end));
  for (const word of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    const end = word.index + word[0].length;
    if (word.index <= here && here <= end) spans.push(place(word.index, end));
  }
  return spans;
}

function decoded(source: string): string {
  try {
    return String(JSON.parse(source));
  } catch {
    return source.slice(1).replace(/"$/, '');
  }
}
