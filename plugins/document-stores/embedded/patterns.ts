/**
 * Regular expressions of document queries, matched in linear time or rejected, because clients may write them.
 * Cached.
 */
import { compileLinearPattern, type LinearPattern } from '../../../language/strings/linear-pattern.js';

const MOST_KEPT = 200;
const kept = new Map<string, LinearPattern>();

/** Ignores `g` and `y`, which are stateful, and `x`. */
export function getPattern(source: string, options = ''): LinearPattern {
  const flags = options.replace(/[gyxdu]/g, '');
  const key = `${flags}/${source}`;
  let pattern = kept.get(key);
  if (pattern === undefined) {
    try {
      pattern = compileLinearPattern(source, flags);
    } catch (error) {
      throw new Error(`the pattern ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(key, pattern);
  }
  return pattern;
}

interface PatternMatch {
  readonly match: string;
  readonly idx: number;
  readonly captures: readonly (string | null)[];
}

type PatternOperands = Readonly<Record<string, unknown>>;

/** Null when the pattern or the text is missing. */
function readOperands({
  input,
  regex,
  options = '',
}: PatternOperands): readonly [pattern: LinearPattern, input: string] | null {
  if (input === null || input === undefined || regex === null || regex === undefined) return null;
  if (typeof input !== 'string' || typeof regex !== 'string' || typeof options !== 'string')
    throw new Error('the operator needs text');
  return [getPattern(regex, options), input];
}

export function isMatch(operands: PatternOperands): boolean {
  const [pattern, input = ''] = readOperands(operands) ?? [];
  return pattern?.test(input) ?? false;
}

export function findOne(operands: PatternOperands): PatternMatch | null {
  const [pattern, input = ''] = readOperands(operands) ?? [];
  const match = pattern?.exec(input) ?? null;
  return match === null ? null : toPatternMatch(input, match.index, match.groups);
}

export function findAll(operands: PatternOperands): readonly PatternMatch[] {
  const found = readOperands(operands);
  if (found === null) return [];
  const [pattern, input] = found;
  const all: PatternMatch[] = [];
  for (let from = 0; ;) {
    // There is no empty match at the end of the text.
    if (from > 0 && from >= input.length) return all;
    const match = pattern.exec(input, from);
    if (match === null) return all;
    from = match.index + Math.max(match.groups[0]?.length ?? 0, 1);
    all.push(toPatternMatch(input, match.index, match.groups));
  }
}

const toPatternMatch = (
  input: string,
  index: number,
  [whole = '', ...parts]: readonly (string | undefined)[],
): PatternMatch => ({
  match: whole,
  idx: [...input.slice(0, index)].length,
  captures: parts.map((part) => part ?? null),
});
