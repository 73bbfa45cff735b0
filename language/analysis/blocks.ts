/** Blocks of a list: what stands together is compared at once. */

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

export function mapItems<T extends object, R>(blocks: Blocks<T>, results: readonly R[]): Map<T, R> {
  const found = new Map<T, R>();
  let at = 0;
  for (const block of blocks) for (const one of block) found.set(one, results[at++] as R);
  return found;
}
