/**
 * What is read off one thing alone, once in its life: a definition, a query, a linked resource. For what never changes and is asked
 * about with every keystroke; what else is read along belongs to a stage (`memory.ts`).
 */
export function once<T extends object, R extends NonNullable<unknown> | null>(read: (thing: T) => R): (thing: T) => R {
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
