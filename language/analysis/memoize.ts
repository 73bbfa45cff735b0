/** Memoizes a function of one immutable object, weakly. A function that reads more must be a stage (`memory.ts`). */
export function memoize<T extends object, R extends NonNullable<unknown> | null>(
  read: (thing: T) => R,
): (thing: T) => R {
  const known = new WeakMap<T, R>();
  return (thing) => {
    let found = known.get(thing);
    if (found === undefined) {
      found = read(thing);
      known.set(thing, found);
    }
    return found;
  };
}

export function createLazy<T extends object>(make: () => T): () => T {
  let made: T | null = null;
  return () => (made ??= make());
}
