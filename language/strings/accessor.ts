/** Parses accessors inside strings: `$ROOT` with an optional dotted tail. */
export interface AccessorPart {
  readonly root: string;
  readonly tail: readonly string[];
  /** Offsets in the decoded text. */
  readonly start: number;
  readonly end: number;
}

export type TemplatePart = string | AccessorPart;

/** Variables of a document database (`$$ROOT`): text after `$$`. */
export const VARIABLES: ReadonlySet<string> = new Set(['ROOT', 'CURRENT', 'NOW', 'REMOVE', 'DESCEND', 'PRUNE', 'KEEP']);

const isUpper = (code: number): boolean => code >= 65 && code <= 90;
const isRootPart = (code: number): boolean => isUpper(code) || code === 95 || (code >= 48 && code <= 57);
const isLower = (code: number): boolean => code >= 97 && code <= 122;
const isSegment = (code: number): boolean => isRootPart(code) || isLower(code) || code === 45;

/**
 * A `$` before anything but an upper-case word (`$1`, `$set`, `$2b$10$`, `$Name`) is text, as are `$$ROOT` and a
 * final dot: `/u/$PAYLOAD.id.` reads `id`.
 */
export function parseTemplate(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let literal = 0;
  let at = text.indexOf('$');
  while (at !== -1) {
    const accessor = readAccessor(text, at);
    if (accessor !== null) {
      if (at > literal) parts.push(text.slice(literal, at));
      parts.push(accessor);
      literal = accessor.end;
    }
    at = text.indexOf('$', accessor?.end ?? at + 1);
  }
  if (literal < text.length) parts.push(text.slice(literal));
  return parts;
}

function readAccessor(text: string, start: number): AccessorPart | null {
  let at = start + 1;
  if (!isUpper(text.charCodeAt(at))) return null;
  while (isRootPart(text.charCodeAt(at))) at++;
  if (isLower(text.charCodeAt(at))) return null;
  const root = text.slice(start + 1, at);
  if (text[start - 1] === '$' && VARIABLES.has(root)) return null;
  const tail: string[] = [];
  while (text[at] === '.' && isSegment(text.charCodeAt(at + 1))) {
    const from = at + 1;
    at = from;
    while (isSegment(text.charCodeAt(at))) at++;
    tail.push(text.slice(from, at));
  }
  return { root, tail, start, end: at };
}

export const listAccessors = (text: string): AccessorPart[] =>
  text.includes('$') ? parseTemplate(text).filter((part): part is AccessorPart => typeof part !== 'string') : [];

export interface AccessorInputs {
  /** The text depends on the request alone, and not on results. */
  readonly isInput: boolean;
  /** The slot that provides the value; null for any other text. */
  readonly slot: number | null;
}

/** `readsOf`: what the accessor of a root reads; `slotOf`: the slot of a payload name. */
export function readAccessorInputs(
  text: string,
  readsOf: (root: string) => unknown,
  slotOf: (name: string) => number | null,
): AccessorInputs {
  const parts = listAccessors(text);
  const findSlot = ({ root, tail: [name] }: AccessorPart): number | null =>
    name === undefined || readsOf(root) !== 'payload' ? null : slotOf(name);
  const isOfRequest = (part: AccessorPart): boolean => {
    const reads = readsOf(part.root);
    if (reads === 'payload') return part.tail.length > 0 && findSlot(part) === null;
    return reads === 'claims' || reads === 'headers';
  };
  const [first] = parts;
  const isName = first?.start === 0 && first.end === text.length && first.tail.length === 1;
  return { isInput: parts.every(isOfRequest), slot: isName ? findSlot(first) : null };
}
