/** Bounds on the length of text, shared by the types that have them. Counts code points, not UTF-16 units. */
import type { Issue } from '../../../kernel/contract/fault.js';
import type { Json } from '../../../kernel/contract/json.js';

type Rule = Readonly<Record<string, Json>>;

const bound = (rule: Rule, name: string): number | null => (typeof rule[name] === 'number' ? rule[name] : null);

/** Null when the rule has no bounds. */
export function judgeLength(rule: Rule): ((value: string, pointer: string, issues: Issue[]) => void) | null {
  const min = bound(rule, 'min_length');
  const max = bound(rule, 'max_length');
  if (min === null && max === null) return null;
  // There are at most as many characters as units, and at least half as many: mostly nothing has to be counted.
  const most = max ?? Infinity;
  const least = 2 * (min ?? 0);
  return (value, pointer, issues) => {
    if (value.length <= most && value.length >= least) return;
    const length = codePoints(value);
    if (min !== null && length < min) {
      issues.push({ pointer, code: 'min_length', detail: `must have at least ${min} characters` });
    }
    if (max !== null && length > max) {
      issues.push({ pointer, code: 'max_length', detail: `must have at most ${max} characters` });
    }
  };
}

function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    // A high surrogate and the low one behind it are one character.
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--;
      i++;
    }
  }
  return count;
}

/** Text that the bounds allow. */
export function sampleText(rule: Rule, text: string): string {
  const min = bound(rule, 'min_length') ?? 0;
  const max = bound(rule, 'max_length') ?? Infinity;
  return text.padEnd(min, 'x').slice(0, max);
}
