/** Fixes of syntax errors that have a single plausible one: a missing comma or a duplicate key. */
import { createScanner } from 'jsonc-parser';
import type { Document } from './document.js';
import { findHolder, removeMember } from './edit-json.js';
import { toJson, type LocatedNode, type SourceFault } from './tree.js';
import { CLOSE_BRACKET, END } from './valid-tree.js';

/** With more errors, no fixes are computed. */
const MOST = 20;

/** Returns the same errors in the same order. */
export function addFixes(
  doc: Document,
  root: LocatedNode | null,
  faults: readonly SourceFault[],
): readonly SourceFault[] {
  if (faults.length === 0 || faults.length > MOST) return faults;
  return faults.map((fault) => {
    const fix =
      fault.code === 'SRC_DUPLICATE_KEY' ? suggestRemoval(doc, root, fault) : suggestComma(doc, fault, faults);
    return fix === null ? fault : { ...fault, fix };
  });
}

type FaultFix = NonNullable<SourceFault['fix']>;

/** Only if both values are strings or equal: one of two objects may be the stricter guard. Needs review. */
function suggestRemoval(doc: Document, root: LocatedNode | null, { start, params }: SourceFault): FaultFix | null {
  const found = root === null ? null : findHolder(root, start);
  if (!found?.member.value) return null;
  // With three equal keys, a single change does not suffice.
  const [first, ...others] = found.node.members.filter(({ key }) => key === params['key']);
  if (others.length !== 1 || !first?.value) return null;
  const isName = first.value.type === 'string' && found.member.value.type === 'string';
  const isSame = JSON.stringify(toJson(first.value)) === JSON.stringify(toJson(found.member.value));
  if (!isName && !isSame) return null;
  const title = `remove this ${JSON.stringify(params['key'])} and keep the first`;
  return { title, changes: removeMember(doc, found.node, found.member), asks: true };
}

/**
 * Inserts a comma after the preceding token, unless the location has another error, or brackets do not match: a comma
 * would then move what follows into the wrong object.
 */
function suggestComma(
  { text }: Document,
  { code, params, start }: SourceFault,
  faults: readonly SourceFault[],
): FaultFix | null {
  if (code !== 'SRC_SYNTAX' || params['missing'] !== 'comma') return null;
  if (faults.filter((one) => one.start === start).length > 1) return null;
  const scanner = createScanner(text, true);
  let end = 0;
  /** Of `{`, `}`, `[` and `]`. */
  const counts = [0, 0, 0, 0];
  for (let token = scanner.scan() as number; token !== END; token = scanner.scan() as number) {
    if (token <= CLOSE_BRACKET) counts[token - 1] = (counts[token - 1] ?? 0) + 1;
    if (scanner.getTokenOffset() < start) end = scanner.getTokenOffset() + scanner.getTokenLength();
  }
  const [openBraces, closeBraces, openBrackets, closeBrackets] = counts;
  if (openBraces !== closeBraces || openBrackets !== closeBrackets) return null;
  // The preceding token may be an unterminated string.
  if (faults.some((one) => one.start < start && one.end >= end)) return null;
  return { title: 'add a comma', changes: [{ start: end, end, text: ',' }] };
}
