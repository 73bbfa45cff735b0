/** Which test files can notice a mutation: those that execute its line, the most specific first, within a budget of time. */
import type { MeasuredFile } from './coverage.js';
import { parseLines } from './lines.js';
import type { LinesByFile } from './messages.js';
import type { Mutation } from './mutation.js';

export interface RelatedTests {
  readonly files: readonly MeasuredFile[];
  /** The budget left some out. */
  readonly isCut: boolean;
}

export type FindRelated = (mutation: Pick<Mutation, 'file' | 'line'>, budgetMs: number) => RelatedTests;

/** Fewer files than this that execute the line in a function: those that load the module follow. */
const FEW = 3;
/** Loading a file, and the price of a file at all. */
const LOAD_MS = 500;
const PRICE_MS = 2000;
/** Longer files run only where no other executes the line. */
const SLOW_MS = 40_000;

export function createFinder(measured: readonly MeasuredFile[]): FindRelated {
  const usable = measured.filter(({ problem }) => problem === null);
  const indexes = usable.map((file) => ({ file, ...indexLines(file) }));
  const atLoad = new Map<string, Set<number>>();
  for (const { load } of measured) {
    for (const [path, text] of Object.entries(load)) {
      const lines = atLoad.get(path) ?? new Set();
      for (const line of parseLines(text)) lines.add(line);
      atLoad.set(path, lines);
    }
  }
  return ({ file: source, line }, budgetMs) => {
    // The share of the file's executed code in the mutated source, relative to its cost.
    const computeScore = ({ counts, total, file }: (typeof indexes)[number]): number =>
      (counts.get(source) ?? 0) / total / (file.ms + PRICE_MS);
    const byScore = (found: typeof indexes): typeof indexes => found.sort((a, b) => computeScore(b) - computeScore(a));
    const direct = byScore(indexes.filter(({ has }) => has(source, line)));
    const users =
      direct.length < FEW && atLoad.get(source)?.has(line) === true
        ? byScore(
            indexes.filter(
              (index) => !direct.includes(index) && (index.counts.has(source) || index.file.imports.has(source)),
            ),
          )
        : [];
    const all = [...direct, ...users].map(({ file }) => file);
    const fast = all.filter(({ ms }) => ms <= SLOW_MS);
    return cutToBudget(fast.length > 0 ? fast : all, budgetMs);
  };
}

function cutToBudget(all: readonly MeasuredFile[], budgetMs: number): RelatedTests {
  const files: MeasuredFile[] = [];
  let left = budgetMs;
  for (const file of all) {
    const price = file.ms + LOAD_MS;
    if (files.length > 0 && price > left) continue;
    files.push(file);
    left -= price;
  }
  return { files, isCut: files.length < all.length };
}

function indexLines({ run }: { readonly run: LinesByFile }) {
  const parsed = new Map<string, Set<number>>();
  const counts = new Map(Object.entries(run).map(([path, text]) => [path, countLines(text)]));
  const total = [...counts.values()].reduce((sum, count) => sum + count, 1);
  const has = (path: string, line: number): boolean => {
    const text = run[path];
    if (text === undefined) return false;
    const lines = parsed.get(path) ?? parseLines(text);
    parsed.set(path, lines);
    return lines.has(line);
  };
  return { counts, total, has };
}

const countLines = (text: string): number =>
  text.split(',').reduce((sum, part) => {
    const [from = 0, to = from] = part.split('-').map(Number);
    return sum + to - from + 1;
  }, 0);
