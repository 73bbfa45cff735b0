/** Work that can pause, so that an editor answers requests in between. */

/** Yields where it may pause: the number of outcomes computed since the last place. */
export type Steps<T> = Generator<number, T, undefined>;

export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

export function* visitInSteps<T>(list: readonly T[], visit: (item: T) => unknown): Steps<void> {
  for (const item of list) {
    visit(item);
    yield 0;
  }
}

export function* flatMapInSteps<T, R>(list: readonly T[], map: (item: T) => readonly R[]): Steps<R[]> {
  const found: R[] = [];
  yield* visitInSteps(list, (item) => found.push(...map(item)));
  return found;
}
