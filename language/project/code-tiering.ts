/**
 * Delays what V8 does for long runs. The front end is much code that runs for a short time: usually, a third of the processor time
 * of a start with thousands of resources compiles functions that hardly run again, and 12 MiB of young generation remain. A flag of
 * the user remains.
 */
import { setFlagsFromString } from 'node:v8';
import { isChosen } from './wasm-tiering.js';

interface TieringCount {
  readonly flag: string;
  readonly pattern: RegExp;
  readonly usual: number;
  readonly delayed: number;
}

/** By major version of V8, with its default (`node --v8-options`). An unlisted engine keeps its counts. */
export const OPTIMIZATION_COUNTS: Readonly<Record<string, TieringCount>> = {
  11: { flag: '--interrupt-budget', pattern: /^--interrupt-budget\b/, usual: 67_584, delayed: 1_000_000 },
  13: {
    flag: '--invocation-count-for-turbofan',
    pattern: /^--invocation-count-for-turbofan\b/,
    usual: 3000,
    delayed: 30_000,
  },
};

const major = String(Number.parseInt(process.versions.v8, 10));
const count = OPTIMIZATION_COUNTS[major];

let running = 0;

/** Functions that first run in `work` are optimized later; what runs after it, as usual. */
export async function delayOptimization<T>(work: () => Promise<T>): Promise<T> {
  if (count === undefined || isChosen(count.pattern)) return work();
  const { flag, usual, delayed } = count;
  if (running++ === 0) setFlagsFromString(`${flag}=${delayed}`);
  try {
    return await work();
  } finally {
    if (--running === 0) setFlagsFromString(`${flag}=${usual}`);
  }
}

/** Defaults of the factor by which the young generation grows, by major version of V8. */
export const GROWTH_FACTORS: Readonly<Record<string, number>> = { 11: 2, 13: 2 };

const growth = isChosen(/^--(?:semi-space-growth|m(?:ax|in)-semi-space)/) ? undefined : GROWTH_FACTORS[major];

/** Until `releaseYoungGeneration`, it keeps its size, and what survives becomes old earlier. */
export const holdYoungGeneration = (): void => setGrowth(1);
export const releaseYoungGeneration = (): void => setGrowth(growth ?? 1);

function setGrowth(factor: number): void {
  if (growth !== undefined) setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
