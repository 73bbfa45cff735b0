/**
 * Whether a regular expression of a stranger may take forever: one that repeats a group which can read the same text in several
 * ways. Careful rather than exact: it refuses some that are quick, and knows nothing of those that are merely slow.
 */

/** A class, an escape, a bracket or a sign; total for sources that are regular expressions. */
const ATOM = /\[(?:\\.|[^\]\\])*\]|\\.|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|[^]/g;
const UNBOUNDED = /^(?:[*+]|\{\d+,\})/;
/** Takes more or less of the text. */
const VARIABLE = /^(?:[*+?]|\{\d+,\d*\})/;

interface Group {
  /** Atoms directly or deeper inside. */
  readonly atoms: string[];
  /** Of each way through it, the first atom; the last way is the one being read. */
  readonly firsts: (string | null)[];
  /** Something in it takes more or less of the text. */
  varies: boolean;
}

export function isSlowPattern(source: string): boolean {
  const fresh = (): Group => ({ atoms: [], firsts: [null], varies: false });
  const stack: Group[] = [fresh()];
  for (const { 0: atom, index } of source.matchAll(ATOM)) {
    const group = stack.at(-1);
    if (group === undefined) return true;
    const rest = source.slice(index + atom.length);
    const repeated = UNBOUNDED.test(rest);
    if (/^\\[1-9k]/.test(atom)) return true;
    if (atom.startsWith('(')) stack.push(fresh());
    else if (atom === ')') {
      stack.pop();
      const outer = stack.at(-1);
      if (outer === undefined || (repeated && isAmbiguous(group))) return true;
      outer.atoms.push(...group.atoms);
      outer.firsts[outer.firsts.length - 1] ??= '(';
      outer.varies ||= VARIABLE.test(rest) || group.varies;
    } else if (atom === '|') group.firsts.push(null);
    else if (!/^[*+?^$]$/.test(atom)) {
      group.firsts[group.firsts.length - 1] ??= /^[*+?{]/.test(rest) ? '(' : atom;
      group.atoms.push(atom);
      group.varies ||= VARIABLE.test(rest);
    }
  }
  return false;
}

/** Each turn begins with a sign of its own, which nothing else in the group can read. */
function isAmbiguous({ atoms, firsts, varies }: Group): boolean {
  if (!varies && firsts.length === 1) return false;
  const signs = firsts.map((first) => (first === null ? null : signOf(first)));
  return signs.some((sign, i) => {
    if (sign === null || signs.indexOf(sign) !== i) return true;
    return varies && atoms.filter((atom) => new RegExp(`^(?:${atom})$`).test(sign)).length > 1;
  });
}

/** The one character that it reads; null for what reads several. */
const signOf = (atom: string): string | null =>
  /^\\[^A-Za-z0-9]$/.test(atom) ? atom.slice(1) : /^[^\\[(.]$/.test(atom) ? atom : null;
