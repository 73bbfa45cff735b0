/** Runs the stages of an analysis that is not repeated: nothing that they read is recorded. */
import type { CodeEntry } from '../../contract/problem.js';
import type { Lookups, StageInput } from './lookups.js';
import type { Report } from './report.js';
import {
  createStageCache,
  type Blocks,
  type LookupStage,
  type SharedLookupStage,
  type Stage,
  type StageCache,
} from './stage-cache.js';
import type { Steps } from './steps.js';

export function createSingleRun(codes: Readonly<Record<string, CodeEntry>>): StageCache {
  const outcomes = new Map<string, Map<object, unknown>>();
  return {
    ...createStageCache(codes),
    findOutcome: (name, thing) => outcomes.get(name)?.get(thing),
    getOrCompute<T>(_thing: object, report: Report, { compute }: Stage<T>): T {
      return compute(report);
    },
    getOrLookUp<T, S extends object>(_thing: object, report: Report, { source, compute }: LookupStage<T, S>): T {
      return compute(readDirectly(source), report);
    },
    *getOrLookUpAll<T extends object, R, S extends object>(
      blocks: Blocks<T>,
      report: Report,
      { name, source, compute }: SharedLookupStage<T, R, S>,
    ): Steps<Blocks<R>> {
      const lookups = readDirectly(source);
      const found = new Map<T, R>();
      outcomes.set(name, found);
      const lists = blocks.map((block, at) =>
        block.map((thing) => {
          const outcome = compute(thing, lookups, report, at);
          if (outcome !== undefined) found.set(thing, outcome);
          return outcome;
        }),
      );
      yield 0;
      return lists;
    },
  };
}

const readDirectly = <S extends object>(source: S): Lookups<S> => ({
  readAnswer: <A extends StageInput>(_key: string, read: (from: S) => A): A => read(source),
});
