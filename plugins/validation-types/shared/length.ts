/** Bounds on the length of text in code points, not UTF-16 units. */
import type { Issue } from '../../../contract/problem.js';
import type { Json } from '../../../contract/json.js';

type Rule = Readonly<Record<string, Json>>;
/** `items_`: the bounds of each item of a list. */
type Prefix = '' | 'items_';

const readBound = (rule: Rule, name: string): number | null => (typeof rule[name] === 'number' ? rule[name] : null);

export interface LengthCheck {
  readonly isOutside: (value: string) => boolean;
  readonly validate: (value: string, pointer: string, issues: Issue[]) => void;
}

/** Null when the rule has no bounds. */
export function createLengthCheck(rule: Rule, prefix: Prefix = ''): LengthCheck | null {
  const min = readBound(rule, `${prefix}min_length`);
  const max = readBound(rule, `${prefix}max_length`);
  if (min === null && max === null) return null;
  const [low, high] = [min ?? 0, max ?? Infinity];
  const isOutside = (value: string): boolean => {
    // A code point has one or two units, so most texts need not be counted.
    if (value.length <= high && value.length >= 2 * low) return false;
    const length = countCodePoints(value);
    return length < low || length > high;
  };
  const validate = (value: string, pointer: string, issues: Issue[]): void => {
    if (!isOutside(value)) return;
    const tooLong = countCodePoints(value) > high;
    const [code, words] = tooLong ? ['max_length', `at most ${high}`] : ['min_length', `at least ${low}`];
    issues.push({ pointer, code: `${prefix}${code}`, detail: `must have ${words} characters` });
  };
  return { isOutside, validate };
}

function countCodePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    // A surrogate pair is one code point.
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--;
      i++;
    }
  }
  return count;
}

/** Text within the bounds. */
export function sampleText(rule: Rule, text: string, prefix: Prefix = ''): string {
  const min = readBound(rule, `${prefix}min_length`) ?? 0;
  const max = readBound(rule, `${prefix}max_length`) ?? Infinity;
  return text.padEnd(min, 'x').slice(0, max);
}
