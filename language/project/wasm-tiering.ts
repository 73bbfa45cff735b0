/**
 * Controls when V8 optimizes WebAssembly: older engines read the setting when a module is compiled, newer ones
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

const TIERING = /^--(?:no-)?(?:wasm-tier-up|wasm-dynamic-tiering|liftoff)/;
const isLeft = major < LATE || isChosen(TIERING);

let isStopped = false;

/** For modules compiled from now on; in newer engines, for all. */
export function stopOptimizing(): void {
  if (isStopped || isChosen(TIERING)) return;
  isStopped = true;
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}

/** Newer engines need this in addition. `work` must be synchronous. */
export function runWithoutOptimizing<T>(work: () => T): T {
  if (isLeft || isStopped) return work();
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  try {
    return work();
  } finally {
    setFlagsFromString('--wasm-tier-up');
    setFlagsFromString('--wasm-dynamic-tiering');
  }
}
