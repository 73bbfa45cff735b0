/** Removes undefined options of a document store call. */

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

export function omitUndefined<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, option]) => option !== undefined)) as Defined<T>;
}
