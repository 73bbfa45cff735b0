/** The running order of actionables: as written, each dependency directly before its first dependent. */
export interface Ordered {
  readonly key: string;
  readonly noOp: boolean;
}

/** `dependencies` may return actionables of other resources. */
export const runningOrder = <A extends Ordered>(
  actions: readonly A[],
  dependencies: (action: A) => readonly A[],
): A[] =>
  closureOf(
    actions.filter(({ noOp }) => !noOp),
    dependencies,
  );

/** Returns the roots with their transitive dependencies, dependencies first. */
export function closureOf<A extends { readonly key: string }>(
  roots: readonly A[],
  dependencies: (action: A) => readonly A[],
): A[] {
  const sequence: A[] = [];
  const placed = new Set<string>();
  const place = (action: A): void => {
    if (placed.has(action.key)) return;
    placed.add(action.key);
    dependencies(action).forEach(place);
    sequence.push(action);
  };
  roots.forEach(place);
  return sequence;
}
