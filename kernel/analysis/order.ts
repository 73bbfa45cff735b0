/**
 * The order in which the actionables of a resource run: as written, each dependency directly before the first one that
 * needs it, everything at most once. The checker and the compiler both ask here.
 */
export interface Ordered {
  readonly key: string;
  readonly noOp: boolean;
}

/** `actions` of one resource as written; `dependencies` gives the actionables that one waits for, of any resource. */
export const runningOrder = <A extends Ordered>(
  actions: readonly A[],
  dependencies: (action: A) => readonly A[],
): A[] =>
  closureOf(
    actions.filter(({ noOp }) => !noOp),
    dependencies,
  );

/** These, and before each what it waits for. */
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
