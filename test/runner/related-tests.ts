/** Which test files a saved source calls for: those that import it, the ones about it first, as many as fit into a few seconds. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from '../support/project.js';
import { listFiles, readDurations, toShortName } from './files.js';

/** Seconds for the tests of one change, by their last measurement. */
const BUDGET_S = 4;
const UNKNOWN_S = 1;
/** Seconds that a new process takes to load one test file, and additionally the first one. */
const LOAD_S = 0.2;
const FIRST_LOAD_S = 0.6;

/** Words of paths that do not identify a file. */
const COMMON = new Set(
  'dist contract language cli kernel plugins language-server extension test runtime spec index shared light src'.split(
    ' ',
  ),
);

/** The files that a compiled file imports, also where it loads them later. */
function readImports(file: string, text: string): string[] {
  const names = [...text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map((match) => match[1] ?? '');
  return names.map((name) => join(dirname(file), name)).filter((path) => existsSync(path));
}

/** Compiled test files that lead to one of the compiled files by imports, the ones about them first. */
export function findTests(changed: readonly string[], tests: readonly string[] = listFiles()): string[] {
  const importers = new Map<string, Set<string>>();
  const texts = new Map<string, string>();
  const read = (file: string): void => {
    if (texts.has(file)) return;
    const text = readFileSync(file, 'utf8');
    texts.set(file, text);
    for (const imported of readImports(file, text)) {
      const known = importers.get(imported) ?? new Set();
      importers.set(imported, known.add(file));
      read(imported);
    }
  };
  tests.forEach(read);
  const reached = new Set(changed);
  for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
  const found = tests.filter((file) => reached.has(file));
  const relevance = rateTests(changed, found, (file) => texts.get(file) ?? '');
  const isDirect = (file: string): boolean =>
    changed.some((path) => path === file || importers.get(path)?.has(file) === true);
  return found.sort((a, b) => Number(isDirect(b)) - Number(isDirect(a)) || relevance(b) - relevance(a));
}

/**
 * Relevance of a test for the changed paths: their words in its name, then in its text, where a rare or repeated word
 * counts more.
 */
function rateTests(
  changed: readonly string[],
  tests: readonly string[],
  textOf: (file: string) => string,
): (file: string) => number {
  const scores = new Map<string, number>();
  const add = (file: string, score: number): void => void scores.set(file, (scores.get(file) ?? 0) + score);
  for (const word of new Set(changed.flatMap(readWords))) {
    for (const file of tests) if (toShortName(file).includes(word)) add(file, 1);
    const mentioned = tests.flatMap((file) => {
      const times = textOf(file).toLowerCase().split(word).length - 1;
      return times > 0 ? [{ file, times }] : [];
    });
    for (const { file, times } of mentioned) add(file, times / (times + 1) / mentioned.length);
  }
  return (file) => scores.get(file) ?? 0;
}

/** `plugins/generators/ulid/runtime.js`: `generator`, `ulid`. */
const readWords = (path: string): string[] =>
  relative(ROOT, path)
    .replace(/(\.light|\.test)?\.js$/, '')
    .split(/[/\\]/)
    .filter((word) => !COMMON.has(word))
    .map((word) => word.toLowerCase().replace(/s$/, ''));

/** The first tests that fit; a changed test file itself always. */
export function chooseTests(
  tests: readonly string[],
  changed: readonly string[],
  durations: Readonly<Record<string, readonly [number, number]>> = readDurations(),
): string[] {
  let left = BUDGET_S - FIRST_LOAD_S;
  return tests.filter((file) => {
    const seconds = (durations[toShortName(file)]?.[0] ?? UNKNOWN_S) + LOAD_S;
    if (!changed.includes(file) && seconds > left) return false;
    left -= seconds;
    return true;
  });
}
