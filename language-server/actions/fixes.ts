/** Code actions for the checker's fixes, single or all of a file. */
import { join } from 'node:path';
import type { CodeAction, TextEdit } from 'vscode-languageserver';
import type { Fix } from '../../contract/problem.js';
import { toFileUri } from '../uri.js';
import type { DocumentContext } from '../document-context.js';
import type { ActionSourceInput, CodeActionOffer } from './action-source.js';

const toTextEdits = ({ range, text, more = [] }: Fix): TextEdit[] => [
  { range, newText: text },
  ...more.map((one) => ({ range: one.range, newText: one.text })),
];

export function fixActions({ view, problems }: ActionSourceInput): CodeActionOffer[] {
  return problems.flatMap((problem) => {
    const { fix, others = [] } = problem;
    return [...(fix === undefined ? [] : [fix]), ...others].map((one) => {
      const uri = one.file === view.doc.file ? view.uri : toFileUri(join(view.project.folder, one.file));
      const edit = { changes: { [uri]: toTextEdits(one) } };
      return { title: capitalizeText(one.title), edit, fixes: [problem], needsReview: one.asks === true };
    });
  });
}

/** Null without applicable fixes. Skips hints, which may be intended, and fixes that need review. */
export function fixAllAction(view: DocumentContext, kind: string): CodeAction | null {
  const spans: Span[] = [];
  const taken: TextEdit[] = [];
  for (const { fix, severity } of view.problems) {
    if (fix === undefined || fix.asks === true || severity === 'hint' || fix.file !== view.doc.file) continue;
    const edits = toTextEdits(fix);
    if (
      insertSpans(
        spans,
        edits.map(({ range }) => ({ start: view.offsetAt(range.start), end: view.offsetAt(range.end) })),
      )
    )
      taken.push(...edits);
  }
  if (taken.length === 0) return null;
  return { title: 'Apply all certain fixes', kind, edit: { changes: { [view.uri]: taken } } };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Keeps spans sorted and disjoint; adds nothing and returns false on an overlap. */
function insertSpans(spans: Span[], added: readonly Span[]): boolean {
  const places: number[] = [];
  for (const span of added) {
    const at = findInsertIndex(spans, span);
    if (at === null) {
      for (const place of places.reverse()) spans.splice(place, 1);
      return false;
    }
    spans.splice(at, 0, span);
    places.push(at);
  }
  return true;
}

function findInsertIndex(spans: readonly Span[], { start, end }: Span): number | null {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.start ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  const isFree = (spans[low - 1]?.end ?? -1) < start && (spans[low]?.start ?? Infinity) > end;
  return isFree ? low : null;
}

const capitalizeText = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
