/**
 * How soon the engine of this process optimises WebAssembly. Older engines remember with a module how it was set when the module was
 * made, newer ones (`LATE`) look when they first compile a function. Where somebody has chosen a setting, or the usual one is not
 * known, nothing is touched. It makes no module and runs no function itself.
 */
import { setFlagsFromString } from 'node:v8';

/** The engine's own setting, by its major version, as `node --v8-options` prints it. */
export const TIERING_BUDGETS: Readonly<Record<string, number>> = { 11: 1_800_000, 13: 13_000_000 };
const FLAG = '--wasm-tiering-budget';
/** More than any function of a short run uses up. */
const NEVER = 1_000_000_000;

/** The first major version of V8 that looks late. */
const LATE = 13;
const major = Number.parseInt(process.versions.v8, 10);

/** What is in force, the latest last. */
const held: number[] = [];

const isChosen = (flag: RegExp): boolean =>
  [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(/\s+/)].some((word) =>
    flag.test(word.replaceAll('_', '-')),
  );

/**
 * Modules that are made from now on have functions that run so many times as long before they are optimised (Infinity: practically for
 * ever). Gives what ends that.
 */
export function holdTieringBudget(times: number): () => void {
  const usual = TIERING_BUDGETS[String(major)];
  if (usual === undefined || isChosen(/^--wasm-tiering-budget/)) return () => undefined;
  const own = Math.min(NEVER, usual * times);
  const force = (): void => setFlagsFromString(`${FLAG}=${held.at(-1) ?? usual}`);
  held.push(own);
  force();
  return () => {
    const at = held.lastIndexOf(own);
    if (at >= 0) held.splice(at, 1);
    force();
  };
}

const isLeft = major < LATE || isChosen(/^--(?:no-)?(?:wasm-tier-up|wasm-dynamic-tiering|liftoff)/);

/** Functions that run for the first time in `work`, which must not wait for anything, are never optimised; a newer engine needs that. */
export function withoutOptimizing<T>(work: () => T): T {
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
