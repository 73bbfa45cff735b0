/** The running order of actionables: as written, each dependency directly before its first dependent, each action once. */
export interface Ordered {
  readonly key: string;
  readonly noOp: boolean;
}

/** `actions`: those of one resource as written; `dependencies` may return actionables of other resources. */
export const runningOrder = <A extends Ordered>(
  actions: readonly A[],
  dependencies: (action: A) => readonly A[],
): A[] =>
  closureOf(
    actions.filter(({ noOp }) => !noOp),
    dependencies,
  );

/** Returns the roots with their transitive dependencies, each after its own dependencies. */
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
