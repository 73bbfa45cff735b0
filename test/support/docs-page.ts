/**
 * Pages of the documentation, taken at their word: the blocks that stand on one, and whether an answer is what a page says.
 * It starts nothing and registers no tests.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './project.js';

export interface Block {
  readonly language: string;
  /** What stands behind the language: the name of a file. */
  readonly name: string;
  readonly text: string;
  /** The heading that it stands under. */
  readonly heading: string;
}

export const pageText = (page: string): string => readFileSync(join(ROOT, 'docs', page), 'utf8');

/** Every block between fences, in the order of the page. */
export function listBlocks(page: string): Block[] {
  let heading = '';
  return [...pageText(page).matchAll(/^#+ (.+)$|^```(\S+)(?: (\S+))?\n([^]*?)^```/gm)].flatMap(
    ([, title, language = '', name = '', content = '']) => {
      if (title !== undefined) heading = title;
      return title === undefined ? [{ language, name, text: content, heading }] : [];
    },
  );
}

/** `METHOD /path {body} header: value`, and below it `status {answer}`. */
export const EXCHANGE = /^(GET|POST|DELETE) (\S+)(?: (\{.*\}))?(?: ([a-z-]+): (.+))?\n(\d{3})(?: ([^]+))?$/;
/** `...` is any text, `<name>` is remembered where it is met first; what a problem has beside is not compared. */
export function isExpected(expected: unknown, actual: unknown, names: Map<string, string>, whole: boolean): boolean {
  if (expected === '...') return typeof actual === 'string';
  if (typeof expected === 'string' && /^<\w+>$/.test(expected) && typeof actual === 'string') {
    const known = names.get(expected);
    if (known === undefined) names.set(expected, actual);
    return known === undefined || known === actual;
  }
  if (typeof expected !== 'object' || expected === null) return expected === actual;
  if (typeof actual !== 'object' || actual === null || Array.isArray(expected) !== Array.isArray(actual)) return false;
  const keys = Object.keys(expected);
  const sameSize = !whole || keys.length === Object.keys(actual).length;
  const at = (value: object, key: string): unknown => (value as Readonly<Record<string, unknown>>)[key];
  return sameSize && keys.every((key) => isExpected(at(expected, key), at(actual, key), names, whole));
}
