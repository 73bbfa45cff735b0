/** What mends a text that cannot be read as JSON, where only one thing can: a comma, or a name that stands there twice. */
import { createScanner } from 'jsonc-parser';
import type { Document } from './document.js';
import { holderAt, removeMember } from './edit-json.js';
import { toJson, type LocatedNode, type SourceFault } from './tree.js';

/** Of more faults than these nobody takes the fixes one by one. */
const MOST = 20;

/** The same faults in the same order. */
export function withMends(
  doc: Document,
  root: LocatedNode | null,
  faults: readonly SourceFault[],
): readonly SourceFault[] {
  if (faults.length === 0 || faults.length > MOST) return faults;
  return faults.map((fault) => {
    const mend = fault.code === 'SRC_DUPLICATE_KEY' ? withoutSecond(doc, root, fault) : comma(doc, fault, faults);
    return mend === null ? fault : { ...fault, mend };
  });
}

type Mend = NonNullable<SourceFault['mend']>;

/** Which of the two was meant, only people know: of two that are more than a name, one may be the stricter guard. */
function withoutSecond(doc: Document, root: LocatedNode | null, { start, params }: SourceFault): Mend | null {
  const found = root === null ? null : holderAt(root, start);
  if (!found?.member.value) return null;
  // Of three there is more to choose than one change can.
  const [first, ...others] = found.node.members.filter(({ key }) => key === params['key']);
  if (others.length !== 1 || !first?.value) return null;
  const isName = first.value.type === 'string' && found.member.value.type === 'string';
  const isSame = JSON.stringify(toJson(first.value)) === JSON.stringify(toJson(found.member.value));
  if (!isName && !isSame) return null;
  const title = `remove this ${JSON.stringify(params['key'])} and keep the first`;
  return { title, changes: removeMember(doc, found.node, found.member), asks: true };
}

/** Behind what stands before the place, comments aside. Not where what follows is no member either. */
function comma({ text }: Document, { code, params, start }: SourceFault, faults: readonly SourceFault[]): Mend | null {
  if (code !== 'SRC_SYNTAX' || params['missing'] !== 'comma') return null;
  if (faults.filter((one) => one.start === start).length > 1) return null;
  const scanner = createScanner(text, true);
  let end = 0;
  for (;;) {
    scanner.scan();
    if (scanner.getTokenOffset() >= start) break;
    end = scanner.getTokenOffset() + scanner.getTokenLength();
  }
  // What stands before it may go on: a text that is not closed.
  if (faults.some((one) => one.start < start && one.end >= end)) return null;
  return { title: 'add a comma', changes: [{ start: end, end, text: ',' }] };
}
