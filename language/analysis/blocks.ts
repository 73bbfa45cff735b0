/** Blocks of a list: what stands together is compared at once. */
import { memoize } from './memoize.js';

export type Blocks<T> = readonly (readonly T[])[];

/** Few enough that one changed item costs little, and enough that an unchanged block saves much. */
const BLOCK = 16;

/** Finds the earlier blocks wherever they are now; what stands between them makes new ones. */
export function splitIntoBlocks<T>(list: readonly T[], before: Blocks<T>): Blocks<T> {
  const byFirst = new Map(before.map((block) => [block[0], block]));
  const blocks: (readonly T[])[] = [];
  let open: T[] = [];
  const close = (): void => {
    if (open.length > 0) blocks.push(open);
    open = [];
  };
  for (let i = 0; i < list.length;) {
    const item = list[i] as T;
    const known = byFirst.get(item);
    if (known?.every((one, n) => one === list[i + n]) === true) {
      close();
      blocks.push(known);
      i += known.length;
    } else {
      open.push(item);
      if (open.length === BLOCK) close();
      i++;
    }
  }
  close();
  return blocks;
}

/** The items that are in both, in the order of the smaller set. */
export function listShared<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): T[] {
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  const shared: T[] = [];
  if (few.size > 0) for (const item of few) if (many.has(item)) shared.push(item);
  return shared;
}

/** The items of a block's lists, as one list. */
export const joinLists = memoize((block: readonly (readonly unknown[])[]): readonly unknown[] => block.flat()) as <T>(
  block: readonly (readonly T[])[],
) => readonly T[];
