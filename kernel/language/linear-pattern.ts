/**
 * Regular expressions whose time grows with the length of the text and no faster: all ways through the pattern are followed at
 * once, none is tried again. For patterns out of files, which another author wrote. What cannot be matched in that way (what a group has
 * read, what stands before, a look ahead without an end) is refused when the pattern is read.
 */

export interface LinearMatch {
  readonly index: number;
  /** The whole, then what the groups have read; undefined for a group that was not passed. */
  readonly groups: readonly (string | undefined)[];
}

export interface LinearPattern {
  test(text: string): boolean;
  /** The first place from `from` on. */
  exec(text: string, from?: number): LinearMatch | null;
}

/** The end of a sentence that begins with the pattern. */
export class PatternError extends Error {}

/** Of a code unit. */
type Reads = (code: number) => boolean;

type Step =
  | { readonly do: 'read'; readonly reads: Reads }
  | { readonly do: 'either'; readonly ways: readonly number[] }
  | { readonly do: 'mark'; readonly slot: number }
  | { readonly do: 'if'; readonly holds: (text: string, at: number) => boolean; readonly steps: number }
  | { readonly do: 'end' };

interface Repeat {
  readonly is: 'repeat';
  readonly inner: Node;
  readonly least: number;
  readonly most: number;
  readonly lazy: boolean;
}

type Node =
  | Repeat
  | { readonly is: 'step'; readonly step: Step }
  | { readonly is: 'chain'; readonly parts: readonly Node[] }
  | { readonly is: 'choice'; readonly parts: readonly Node[] }
  | { readonly is: 'group'; readonly slot: number; readonly inner: Node };

/** The same way may be tried twice only where something repeats or where there is a choice: all others are matched by the engine. */
const BRANCHES = /[*+?{|]/;

interface Limit {
  readonly most: number;
  /** Something may repeat as often as it likes. */
  readonly endless: boolean;
  readonly why: string;
}

/** Steps of a pattern with its repetitions written out, and of what it looks ahead for. */
const WHOLE: Limit = { most: 2_000, endless: true, why: 'has more than 2000 steps' };
const AHEAD: Limit = { most: 64, endless: false, why: 'looks further ahead than can be matched in linear time' };
const MOST_DEPTH = 50;

/** A class, an escape, the begin of a group, a repetition, or one sign. */
const TOKEN =
  /\[(?:\\[^]|[^\]\\])*\]|\\(?:x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|[^])|\((?:\?(?:<?[=!]|:|<[A-Za-z_$][\w$]*>))?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|[^]/y;
const COUNT = /^\{(\d+)(,?)(\d*)\}/;
/** Escapes that stand for one sign; of letters only those that mean something. */
const ESCAPED = /^\\(?:[dDsSwWtnrvf]|0|x..|u....|[^A-Za-z0-9])$/;

/** `flags`: `i`, `m` and `s`, as everywhere. Throws a PatternError. */
export function linearPattern(source: string, flags = ''): LinearPattern {
  try {
    new RegExp(source, flags);
  } catch {
    throw new PatternError('is no regular expression');
  }
  const strange = /[^ims]/.exec(flags)?.[0];
  if (strange !== undefined) throw new PatternError(`has the flag "${strange}"`);
  if (!BRANCHES.test(source)) return plainPattern(new RegExp(source, `g${flags}`));
  const { node, groups } = read(source, flags);
  const steps = written(node, WHOLE);
  const exec = (text: string, from = 0): LinearMatch | null => {
    const marks = follow(steps, text, from, false);
    if (marks === null) return null;
    const part = (slot: number): string | undefined =>
      marks[slot] === undefined || marks[slot + 1] === undefined ? undefined : text.slice(marks[slot], marks[slot + 1]);
    return { index: marks[0] ?? 0, groups: Array.from({ length: groups + 1 }, (_, n) => part(2 * n)) };
  };
  return { exec, test: (text) => passes(steps, text) };
}

function plainPattern(pattern: RegExp): LinearPattern {
  const exec = (text: string, from = 0): LinearMatch | null => {
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    return match === null ? null : { index: match.index, groups: [...match] };
  };
  return { exec, test: (text) => exec(text) !== null };
}

function read(source: string, flags: string): { readonly node: Node; readonly groups: number } {
  let groups = 0;
  let at = 0;
  const peek = (): string => {
    TOKEN.lastIndex = at;
    return TOKEN.exec(source)?.[0] ?? '';
  };
  const take = (): string => {
    const token = peek();
    at += token.length;
    return token;
  };
  const isRepetition = (token: string): boolean => /^[*+?]/.test(token) || COUNT.test(token);

  function choice(depth: number): Node {
    if (depth > MOST_DEPTH) throw new PatternError(`nests more than ${MOST_DEPTH} groups`);
    const parts = [chain(depth)];
    while (peek() === '|') {
      take();
      parts.push(chain(depth));
    }
    return parts.length === 1 ? (parts[0] as Node) : { is: 'choice', parts };
  }
  function chain(depth: number): Node {
    const parts: Node[] = [];
    // What the text begins with is looked at once.
    let isBegin = false;
    for (let token = peek(); token !== '' && token !== '|' && token !== ')'; token = peek()) {
      const inner = atom(take(), depth, isBegin);
      isBegin = token === '^' && !flags.includes('m');
      parts.push(isRepetition(peek()) ? repeated(inner, take()) : inner);
    }
    return { is: 'chain', parts };
  }
  function atom(token: string, depth: number, isBegin: boolean): Node {
    if (token.startsWith('(')) return group(token, depth, isBegin);
    if (token === '^') return when((text, i) => i === 0 || (flags.includes('m') && isLineEnd(text[i - 1])));
    if (token === '$') return when((text, i) => i === text.length || (flags.includes('m') && isLineEnd(text[i])));
    if (token === '\\b' || token === '\\B')
      return when((text, i) => (isWord(text[i - 1]) !== isWord(text[i])) === (token === '\\b'));
    if (token.length > 1 && token.startsWith('\\') && !ESCAPED.test(token))
      throw new PatternError(`has ${token}, which is not matched in linear time`);
    return { is: 'step', step: { do: 'read', reads: reader(token, flags) } };
  }
  function group(token: string, depth: number, isBegin: boolean): Node {
    if (/^\(\?<[=!]/.test(token)) throw new PatternError('looks at what stands before');
    const isMarked = token === '(' || token.startsWith('(?<');
    const slot = isMarked ? 2 * ++groups : 0;
    const inner = choice(depth + 1);
    take();
    if (isMarked) return { is: 'group', slot, inner };
    if (token === '(?:') return inner;
    const ahead = written(inner, isBegin ? WHOLE : AHEAD);
    return when((text, i) => (follow(ahead, text, i, true) !== null) === (token === '(?='), ahead.length);
  }
  const node = choice(0);
  return { node: { is: 'group', slot: 0, inner: node }, groups };
}

const when = (holds: (text: string, at: number) => boolean, steps = 1): Node => ({
  is: 'step',
  step: { do: 'if', holds, steps },
});
const isLineEnd = (sign: string | undefined): boolean => sign !== undefined && /[\n\r\u2028\u2029]/.test(sign);
const isWord = (sign: string | undefined): boolean => sign !== undefined && /\w/.test(sign);

/** One sign against one atom, by the engine itself; what it said is kept. */
function reader(token: string, flags: string): Reads {
  const whole = new RegExp(`^(?:${/^[{}\]]$/.test(token) ? `\\${token}` : token})$`, flags.replace('m', ''));
  const said: (boolean | undefined)[] = [];
  return (code) => (said[code] ??= whole.test(String.fromCharCode(code)));
}

function repeated(inner: Node, token: string): Node {
  const [, from, comma, to] = COUNT.exec(token) ?? [];
  const lazy = token.length > 1 && token.endsWith('?');
  const [least, most] =
    from !== undefined
      ? [Number(from), comma === '' ? Number(from) : to === '' ? Infinity : Number(to)]
      : [token.startsWith('+') ? 1 : 0, token.startsWith('?') ? 1 : Infinity];
  return { is: 'repeat', inner, least, most, lazy };
}

/** The steps of a pattern; a repetition is written out as often as it must happen, and may happen. */
function written(node: Node, { most: limit, endless, why }: Limit): Step[] {
  const steps: Step[] = [];
  let count = 0;
  const push = (step: Step): number => {
    count += step.do === 'if' ? step.steps : 1;
    if (count > limit) throw new PatternError(why);
    return steps.push(step) - 1;
  };
  /** Where it goes on is known later; the way that is tried first decides what a match is. */
  const fork = (lazy: boolean): ((inside: number, behind: number) => void) => {
    const place = push({ do: 'either', ways: [] });
    return (inside, behind) => void (steps[place] = { do: 'either', ways: lazy ? [behind, inside] : [inside, behind] });
  };
  const write = (one: Node): void => {
    if (one.is === 'step') push(one.step);
    else if (one.is === 'chain') one.parts.forEach(write);
    else if (one.is === 'group') {
      push({ do: 'mark', slot: one.slot });
      write(one.inner);
      push({ do: 'mark', slot: one.slot + 1 });
    } else if (one.is === 'choice') {
      const place = push({ do: 'either', ways: [] });
      const ends: number[] = [];
      const ways = one.parts.map((part) => {
        const begin = steps.length;
        write(part);
        ends.push(push({ do: 'either', ways: [] }));
        return begin;
      });
      steps[place] = { do: 'either', ways };
      for (const end of ends) steps[end] = { do: 'either', ways: [steps.length] };
    } else writeRepeat(one);
  };
  const writeRepeat = ({ inner, least, most, lazy }: Repeat): void => {
    for (let n = 0; n < least; n++) write(inner);
    if (most === Infinity) {
      if (!endless) throw new PatternError(why);
      const back = steps.length;
      const close = fork(lazy);
      write(inner);
      push({ do: 'either', ways: [back] });
      close(back + 1, steps.length);
      return;
    }
    const open: (() => void)[] = [];
    for (let n = least; n < most; n++) {
      const close = fork(lazy);
      const inside = steps.length;
      open.push(() => close(inside, steps.length));
      write(inner);
    }
    for (const close of open) close();
  };
  write(node);
  push({ do: 'end' });
  return steps;
}

interface Way {
  readonly at: number;
  readonly marks: readonly number[];
}

/** The marks of the match that the engine would find, or null. */
function follow(steps: readonly Step[], text: string, from: number, here: boolean): readonly number[] | null {
  const seen = new Int32Array(steps.length).fill(-1);
  let now: Way[] = [];
  let found: readonly number[] | null = null;
  /** Goes on to the steps that read; a step that was reached at this place is not reached again. */
  const reach = (list: Way[], first: number, i: number, begun: readonly number[]): void => {
    const open: Way[] = [{ at: first, marks: begun }];
    for (let way = open.pop(); way !== undefined; way = open.pop()) {
      const { at, marks } = way;
      if (seen[at] === i) continue;
      seen[at] = i;
      const step = steps[at] as Step;
      if (step.do === 'either') for (const next of [...step.ways].reverse()) open.push({ at: next, marks });
      else if (step.do === 'mark') {
        const marked = [...marks];
        marked[step.slot] = i;
        open.push({ at: at + 1, marks: marked });
      } else if (step.do === 'if') {
        if (step.holds(text, i)) open.push({ at: at + 1, marks });
      } else list.push(way);
    }
  };
  for (let i = from; ; i++) {
    if (found === null && (!here || i === from)) reach(now, 0, i, []);
    if (now.length === 0 && (found !== null || here)) return found;
    const code = text.charCodeAt(i);
    const next: Way[] = [];
    for (const { at, marks } of now) {
      const step = steps[at] as Step;
      if (step.do === 'end') {
        found = marks;
        // What comes behind is tried only where this fails.
        break;
      }
      if (step.do === 'read' && i < text.length && step.reads(code)) reach(next, at + 1, i + 1, marks);
    }
    now = next;
    if (i >= text.length) return found;
  }
}

/** As `follow`, of what only has to know whether there is a match: no marks, and no order among the ways. */
function passes(steps: readonly Step[], text: string): boolean {
  const seen = new Int32Array(steps.length).fill(-1);
  let [now, next] = [new Int32Array(steps.length), new Int32Array(steps.length)];
  let [count, found] = [0, false];
  const reach = (list: Int32Array, at: number, i: number): void => {
    if (found || seen[at] === i) return;
    seen[at] = i;
    const step = steps[at] as Step;
    if (step.do === 'read') list[count++] = at;
    else if (step.do === 'mark') reach(list, at + 1, i);
    else if (step.do === 'end') found = true;
    else if (step.do === 'either') for (const way of step.ways) reach(list, way, i);
    else if (step.holds(text, i)) reach(list, at + 1, i);
  };
  for (let i = 0; ; i++) {
    reach(now, 0, i);
    if (found || i >= text.length) return found;
    const code = text.charCodeAt(i);
    const last = count;
    count = 0;
    for (let n = 0; n < last; n++) {
      const at = now[n] ?? 0;
      const step = steps[at] as Step;
      if (step.do === 'read' && step.reads(code)) reach(next, at + 1, i + 1);
    }
    [now, next] = [next, now];
  }
}
