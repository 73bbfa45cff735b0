/** Memoizes a function of one immutable object, weakly. One that reads more must be a stage (`stage-cache.ts`). */
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

/** For a function that also reads a context that stays the same, such as the registry. */
export function memoizeWith<T extends object, C extends object, R extends NonNullable<unknown> | null>(
  read: (thing: T, context: C) => R,
): (thing: T, context: C) => R {
  const inContext = memoize((context: C) => memoize((thing: T) => read(thing, context)));
  return (thing, context) => inContext(context)(thing);
}

/** Computes the value when it is first read. */
export function createLazy<T extends object>(make: () => T): () => T {
  let made: T | null = null;
  return () => (made ??= make());
}
