/** Work that can pause, so that an editor answers requests in between. */

/** Yields where it may pause: the number of outcomes computed since the last place. */
export type Steps<T> = Generator<number, T, undefined>;

export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

export function* flatMapInSteps<T, R>(list: readonly T[], map: (item: T) => readonly R[]): Steps<R[]> {
  const found: R[] = [];
  for (const item of list) {
    found.push(...map(item));
    yield 0;
  }
  return found;
}
