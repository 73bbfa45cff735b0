/** Bounds repeated reports of the same cause. */

const MAX_PAIRS = 1000;

/** For at most MAX_PAIRS pairs. */
export function callOncePerPair(call: (one: string, other: string) => void): (one: string, other: string) => void {
  const known = new Set<string>();
  return (one, other) => {
    const pair = JSON.stringify([one, other]);
    if (known.has(pair) || known.size >= MAX_PAIRS) return;
    known.add(pair);
    call(one, other);
  };
}
