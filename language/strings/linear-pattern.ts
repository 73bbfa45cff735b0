/**
 * Regular expressions in linear time, without backtracking. Rejects backreferences, lookbehind and unbounded
 * lookahead.
 */

export interface LinearMatch {
  readonly index: number;
  /** The whole match, then the groups; undefined for a group without a match. */
  readonly groups: readonly (string | undefined)[];
}

export interface LinearPattern {
  test(text: string): boolean;
  exec(text: string, from?: number): LinearMatch | null;
}

/** The message is a predicate; its subject is the pattern. */
export class PatternError extends Error {}

/** A step without any property is the end of the pattern. */
interface Step {
  /** Consumes one code unit. */
  readonly reads?: (code: number) => boolean;
  /** Relative jumps in order of precedence. */
  readonly ways?: readonly number[];
  /** Even slots begin a group, odd slots end it. */
  readonly slot?: number;
  readonly holds?: (text: string, at: number) => boolean;
  readonly cost?: number;
}

/** Limits of the expanded pattern, of an unanchored lookahead, and of the nesting depth. */
const MOST = 2_000;
const MOST_AHEAD = 64;
const MOST_DEPTH = 50;
/** Patterns without repetition or alternatives cannot backtrack and use the native engine. */
const BRANCHES = /[*+?{|]/;

const TOKEN =
  /\[(?:\\[^]|[^\]\\])*\]|\\(?:x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|[^])|\((?:\?(?:<?[=!]|:|<[A-Za-z_$][\w$]*>))?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|[^]/g;
const REPETITION = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})(\?)?$/;
/** Escapes that match one code unit. */
const ESCAPED = /^\\(?:[dDsSwWtnrvf]|0|x..|u....|[^A-Za-z0-9])$/;

/** `flags`: `i`, `m` and `s`. Throws a PatternError. */
export function compileLinearPattern(source: string, flags = ''): LinearPattern {
  let native: RegExp;
  try {
    native = new RegExp(source, `g${flags}`);
  } catch {
    throw new PatternError('is no regular expression');
  }
  if (!BRANCHES.test(source)) {
    const exec = (text: string, from = 0): LinearMatch | null => {
      native.lastIndex = from;
      const groups = native.exec(text);
      return groups && { index: groups.index, groups };
    };
    return { exec, test: (text) => exec(text) !== null };
  }
  const steps = read(source, flags);
  const isAnchored = source.startsWith('^') && !flags.includes('m') && steps[1]?.holds !== undefined;
  const test = createMatchTest(steps, isAnchored);
  return {
    test,
    exec(text, from = 0) {
      if (from === 0 && !test(text)) return null;
      const marks = findMatch(steps, text, from, false);
      if (marks === null) return null;
      const slots = Math.max(...steps.map(({ slot = 0 }) => slot)) + 1;
      const groups = Array.from({ length: slots / 2 }, (_, n) => {
        const [begin, end] = marks.slice(2 * n);
        return begin === undefined || end === undefined ? undefined : text.slice(begin, end);
      });
      return { index: marks[0] ?? 0, groups };
    },
  };
}

function read(source: string, flags: string): readonly Step[] {
  const tokens = source.match(TOKEN) ?? [];
  let [at, groups] = [0, 0];

  function readChoice(depth: number): Step[] {
    if (depth > MOST_DEPTH) throw new PatternError('nests too many groups');
    const first = readChain(depth);
    if (tokens[at] !== '|') return first;
    at++;
    const rest = readChoice(depth);
    return checkSize([{ ways: [1, first.length + 2] }, ...first, { ways: [rest.length + 1] }, ...rest]);
  }
  function readChain(depth: number): Step[] {
    const steps: Step[] = [];
    // A lookahead directly after `^` runs only once, so its length is not limited.
    let isBegin = false;
    for (let token = tokens[at]; token !== undefined && token !== '|' && token !== ')'; token = tokens[at]) {
      at++;
      const inner = readAtom(token, depth, isBegin);
      const repetition = REPETITION.exec(tokens[at] ?? '');
      if (repetition !== null) at++;
      steps.push(...(repetition === null ? inner : repeatSteps(inner, repetition)));
      isBegin = token === '^' && !flags.includes('m');
    }
    return checkSize(steps);
  }
  function readAtom(token: string, depth: number, isBegin: boolean): Step[] {
    const isLineEnd = (sign = ''): boolean => flags.includes('m') && /[\n\r\u2028\u2029]/.test(sign);
    if (token.startsWith('(')) return readGroup(token, depth, isBegin);
    if (token === '^') return [{ holds: (text, i) => i === 0 || isLineEnd(text[i - 1]) }];
    if (token === '$') return [{ holds: (text, i) => i === text.length || isLineEnd(text[i]) }];
    const isWord = (sign = ''): boolean => /\w/.test(sign);
    if (/^\\b$/i.test(token))
      return [{ holds: (text, i) => (isWord(text[i - 1]) !== isWord(text[i])) === (token === '\\b') }];
    if (token.startsWith('\\') && !ESCAPED.test(token))
      throw new PatternError(`has ${token}, which is not matched in linear time`);
    const sign = /^[{}\]]$/.test(token) ? `\\${token}` : token;
    const one = new RegExp(`^(?:${sign})$`, flags.replace('m', ''));
    // Cached results of the native engine by code unit.
    const cached: (boolean | undefined)[] = [];
    return [{ reads: (code) => (cached[code] ??= one.test(String.fromCharCode(code))) }];
  }
  function readGroup(token: string, depth: number, isBegin: boolean): Step[] {
    if (/^\(\?<[=!]/.test(token)) throw new PatternError('looks at what stands before');
    const slot = /^\((\?<|$)/.test(token) ? 2 * ++groups : 0;
    const inner = readChoice(depth + 1);
    at++;
    if (slot > 0) return [{ slot }, ...inner, { slot: slot + 1 }];
    if (token === '(?:') return inner;
    const isEndless = inner.length > MOST_AHEAD || inner.some(({ ways = [] }) => ways.some((way) => way < 0));
    if (isEndless && !isBegin) throw new PatternError('looks further ahead than can be matched in linear time');
    const ahead = [...inner, {}];
    const isMatchAhead = (text: string, i: number): boolean =>
      (findMatch(ahead, text, i, true) !== null) === (token === '(?=');
    return [{ holds: isMatchAhead, cost: ahead.length }];
  }
  return [{ slot: 0 }, ...readChoice(0), { slot: 1 }, {}];
}

function checkSize(steps: Step[]): Step[] {
  if (steps.reduce((sum, { cost = 1 }) => sum + cost, 0) > MOST) throw new PatternError(`has more than ${MOST} steps`);
  return steps;
}

function repeatSteps(inner: Step[], [, sign, from, comma, to, lazy]: RegExpExecArray): Step[] {
  const least = from === undefined ? Number(sign === '+') : Number(from);
  const bound = comma === '' ? from : to;
  const most = sign === '?' ? 1 : bound ? Number(bound) : Infinity;
  const size = inner.length;
  const createBranch = (behind: number): Step => ({ ways: lazy ? [behind, 1] : [1, behind] });
  if (Math.max(size, 1) * (most === Infinity ? least : most) > MOST)
    throw new PatternError(`has more than ${MOST} steps`);
  const must = Array.from({ length: least }, () => inner).flat();
  if (most === Infinity) return checkSize([...must, createBranch(size + 2), ...inner, { ways: [-size - 1] }]);
  const may = Array.from({ length: most - least }, (_, n) => [createBranch((most - least - n) * (size + 1)), ...inner]);
  return checkSize([...must, ...may.flat()]);
}

interface Thread {
  readonly at: number;
  readonly marks: readonly number[];
}

/** Returns the group positions that the native engine would find, or null. */
function findMatch(steps: readonly Step[], text: string, from: number, here: boolean): readonly number[] | null {
  const seen = new Int32Array(steps.length).fill(-1);
  let now: Thread[] = [];
  let found: readonly number[] | null = null;
  /** Each step is reached at most once per position, which keeps the time linear. */
  const addThread = (list: Thread[], at: number, i: number, marks: readonly number[]): void => {
    if (seen[at] === i) return;
    seen[at] = i;
    const { ways, slot, holds } = steps[at] as Step;
    if (ways !== undefined) for (const way of ways) addThread(list, at + way, i, marks);
    else if (slot !== undefined) {
      const marked = [...marks];
      marked[slot] = i;
      addThread(list, at + 1, i, marked);
    } else if (holds === undefined) list.push({ at, marks });
    else if (holds(text, i)) addThread(list, at + 1, i, marks);
  };
  for (let i = from; ; i++) {
    if (found === null && (!here || i === from)) addThread(now, 0, i, []);
    const next: Thread[] = [];
    for (const { at, marks } of now) {
      const { reads } = steps[at] as Step;
      if (reads === undefined) {
        found = marks;
        // The remaining alternatives have lower precedence.
        break;
      }
      if (i < text.length && reads(text.charCodeAt(i))) addThread(next, at + 1, i + 1, marks);
    }
    now = next;
    if (i >= text.length || (now.length === 0 && (found !== null || here))) return found;
  }
}

function createMatchTest(steps: readonly Step[], isAnchored: boolean): (text: string) => boolean {
  const seen = new Int32Array(steps.length);
  let [now, next] = [new Int32Array(steps.length), new Int32Array(steps.length)];
  let [count, found] = [0, false];
  const addStep = (list: Int32Array, at: number, text: string, i: number): void => {
    if (seen[at] === i) return;
    seen[at] = i;
    const { reads, ways, slot, holds } = steps[at] as Step;
    if (reads !== undefined) list[count++] = at;
    else if (ways !== undefined) for (const way of ways) addStep(list, at + way, text, i);
    else if (slot === undefined && holds === undefined) found = true;
    else if (holds?.(text, i) ?? true) addStep(list, at + 1, text, i);
  };
  return (text) => {
    seen.fill(-1);
    [count, found] = [0, false];
    for (let i = 0; ; i++) {
      if (!isAnchored || i === 0) addStep(now, 0, text, i);
      if (found || i >= text.length || (isAnchored && count === 0)) return found;
      const code = text.charCodeAt(i);
      const last = count;
      count = 0;
      for (let n = 0; n < last; n++) {
        const at = now[n] ?? 0;
        if (steps[at]?.reads?.(code) === true) addStep(next, at + 1, text, i + 1);
      }
      [now, next] = [next, now];
    }
  };
}
