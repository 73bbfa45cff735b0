/** The one environment variable that a part of a definition reads: its value is what is wrong. */
import type { Params } from '../../contract/problem.js';
import type { Definition } from './model.js';
import type { Registry } from './registry.js';
import { isInside, type Span } from './report.js';

/** Null where it reads none, or several. */
export function findOnlyVariable(
  { finds }: Pick<Definition, 'finds'>,
  around: Span,
  registry: Registry,
): string | null {
  const roots = new Set(registry.listRoots('env'));
  const inside = finds.accessors.filter(({ node }) => isInside(node, around) || isInside(around, node));
  const names = new Set(
    inside.flatMap(({ parts }) => parts.flatMap(({ root, tail }) => (roots.has(root) ? (tail[0] ?? []) : []))),
  );
  const [only = null, another] = names;
  return another === undefined ? only : null;
}

/** Equal errors about one variable have one cause. */
export const createVariableCause = (code: string, params: Params, variable: string): string =>
  JSON.stringify([code, variable, { ...params, place: undefined }]);
