/** Bounds on the number of items, shared by list types. */
import type { Issue } from '../../../contract/problem.js';
import type { Json } from '../../../contract/json.js';

type Rule = Readonly<Record<string, Json>>;

const readBound = (rule: Rule, name: string, otherwise: number): number =>
  typeof rule[name] === 'number' ? rule[name] : otherwise;

/** Returns false for too many items, which are then not validated. */
export function createCountCheck(rule: Rule): (count: number, pointer: string, issues: Issue[]) => boolean {
  const min = readBound(rule, 'arr_min_length', 0);
  const max = readBound(rule, 'arr_length', Infinity);
  return (count, pointer, issues) => {
    if (count < min) issues.push({ pointer, code: 'arr_min_length', detail: `must have at least ${min} items` });
    if (count <= max) return true;
    issues.push({ pointer, code: 'arr_length', detail: `must have at most ${max} items` });
    return false;
  };
}

/** One item where the bounds allow it. */
export const sampleCount = (rule: Rule): number =>
  Math.min(Math.max(1, readBound(rule, 'arr_min_length', 1)), readBound(rule, 'arr_length', Infinity));
