/**
 * Controls when V8 optimizes WebAssembly, and on how many threads: older engines read the setting when a module is compiled, newer ones
 * (`LATE`) when a function first runs. A flag of the user remains.
 */
import { setFlagsFromString } from 'node:v8';

/** Default budgets by major version of V8 (`node --v8-options`). */
export const TIERING_BUDGETS: Readonly<Record<string, number>> = { 11: 1_800_000, 13: 13_000_000 };
const FLAG = '--wasm-tiering-budget';
const NEVER = 1_000_000_000;

const LATE = 13;
const major = Number.parseInt(process.versions.v8, 10);

const held: number[] = [];

export const isChosen = (flag: RegExp): boolean =>
  [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(/\s+/)].some((word) =>
    flag.test(word.replaceAll('_', '-')),
  );

/** Multiplies the tier-up budget until the returned function is called. */
export function raiseTieringBudget(times: number): () => void {
  const usual = TIERING_BUDGETS[String(major)];
  if (usual === undefined || isChosen(/^--wasm-tiering-budget/)) return () => undefined;
  const own = Math.min(NEVER, usual * times);
  const applyBudget = (): void => setFlagsFromString(`${FLAG}=${held.at(-1) ?? usual}`);
  held.push(own);
  applyBudget();
  return () => {
    const at = held.lastIndexOf(own);
    if (at >= 0) held.splice(at, 1);
    applyBudget();
  };
}

/**
 * Each thread keeps its memory: with one, the embedded database takes 210 MiB instead of 250.
 */
export function optimizeOnOneThread(): void {
  if (!isChosen(/^--wasm-num-compilation-tasks/)) setFlagsFromString('--wasm-num-compilation-tasks=1');
}

const isLeft = major < LATE || isChosen(/^--(?:no-)?(?:wasm-tier-up|wasm-dynamic-tiering|liftoff)/);

/** Newer engines need this in addition. `work` must be synchronous. */
export function runWithoutOptimizing<T>(work: () => T): T {
  if (isLeft) return work();
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  try {
    return work();
  } finally {
    setFlagsFromString('--wasm-tier-up');
    setFlagsFromString('--wasm-dynamic-tiering');
  }
}
