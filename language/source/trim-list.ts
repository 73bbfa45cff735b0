/** Lists without the room that they had to grow: an engine reserves seventeen places for the first item. */

const NOTHING: readonly never[] = Object.freeze([]);

/** For lists that thousands of definitions hold. */
export const trimList = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? NOTHING : list.slice());
