/**
 * The part of a large set of cases that a run uses: all of them in a deep run, else a sample that each commit selects again, a
 * third of it outside of CI.
 */
import { createSeededRandom } from './random-edits.js';

/** Areas of large sets of cases; `test/runner/deep.ts` lists the sources of each. */
export type Area = 'edits' | 'editor' | 'vectors' | 'strings' | 'kills' | 'races' | 'mongo';

/** Areas in full, separated by commas, or `all`. */
const deep = (process.env['TEST_DEEP'] ?? '').split(',');
/** The commit, set by the runner; TEST_SEED repeats a run. */
export const runSeed = process.env['TEST_SEED'] ?? '1';

export const isDeep = (area: Area): boolean => deep.includes('all') || deep.includes(area);

/** All large sets were requested, whatever has changed. */
export const isDeepRun = deep.includes('all');

/** At most `count` of the cases, in their order; all of them in a deep run. `name` separates samples of one run. */
export function sampleCases<T>(area: Area, name: string, cases: readonly T[], count: number): readonly T[] {
  return isDeep(area) ? cases : chooseCases(name, cases, count);
}

/** A check uses the whole sample; `npm test` uses a third, so that it ends soon. */
const reduceSample = (count: number): number =>
  process.env['CI'] === 'true' || isDeepRun ? count : Math.ceil(count / 3);

/** At most `most` of the cases, in their order; for sets so large that only `isDeepRun` uses all of them. */
export function chooseCases<T>(name: string, cases: readonly T[], most: number): readonly T[] {
  const count = reduceSample(most);
  if (cases.length <= count) return cases;
  const random = createSeededRandom(`${runSeed} ${name}`);
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(random.below(cases.length));
  return cases.filter((_, index) => chosen.has(index));
}

/** How often something random is tried: `many` times in a deep run. */
export const countRuns = (area: Area, few: number, many: number): number => (isDeep(area) ? many : reduceSample(few));

/** As `sampleCases`, of the tests in a suite and those inside it; called at its end. */
export function sampleTests(area: Area, suite: Mocha.Suite, count: number): void {
  const all: Mocha.Test[] = [];
  suite.eachTest((test) => void all.push(test));
  const chosen = new Set(sampleCases(area, suite.title, all, count));
  const filterTests = (one: Mocha.Suite): void => {
    one.tests = one.tests.filter((test) => chosen.has(test));
    one.suites.forEach(filterTests);
  };
  filterTests(suite);
}
