/** Actionables as written, each dependency directly before its first dependent. */
export interface OrderedAction {
  readonly key: string;
  readonly noOp: boolean;
}

/** `dependencies` may return actionables of other resources. */
export const listInRunningOrder = <A extends OrderedAction>(
  actions: readonly A[],
  dependencies: (action: A) => readonly A[],
): A[] =>
  orderWithDependencies(
    actions.filter(({ noOp }) => !noOp),
    dependencies,
  );

/** Returns the roots with their transitive dependencies, dependencies first. */
export function orderWithDependencies<A extends { readonly key: string }>(
  roots: readonly A[],
  dependencies: (action: A) => readonly A[],
): A[] {
  const sequence: A[] = [];
  const placed = new Set<string>();
  const placeAction = (action: A): void => {
    if (placed.has(action.key)) return;
    placed.add(action.key);
    dependencies(action).forEach(placeAction);
    sequence.push(action);
  };
  roots.forEach(placeAction);
  return sequence;
}
