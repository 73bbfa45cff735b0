/**
 * Which names of a result hold a secret: decided by the column that each is read from, where that is certain, and by its name
 * otherwise. For checks of what is sent under such names.
 */
import type { LinkedAction, LinkedResource } from './linked.js';
import { inside } from './report.js';
import type { StatementNames } from './sql/names.js';
import type { Queries } from './link-group.js';

export interface SecretContext {
  /** Fields of a model that are hashed, encrypted or marked. */
  readonly ofModel: (model: string) => readonly string[];
  /** Names that any table of the resource, or one of its steps, protects, under all aliases. */
  readonly named: ReadonlySet<string>;
  /** Names that steps of the resource itself protect. */
  readonly own: readonly string[];
}

export function secretResult(
  { definition: { finds }, names }: LinkedResource,
  { node }: LinkedAction,
  queries: Queries | undefined,
  { ofModel, named, own }: SecretContext,
): (name: string) => boolean {
  const byName = (name: string): boolean => named.has(name);
  const within = <T extends { readonly node: LinkedAction['node'] }>(list: readonly T[]): readonly T[] =>
    list.filter((one) => inside(one.node, node));
  const [only, ...others] = within(finds.statements);
  const isDocument = within(finds.documents).length > 0;
  // What is no query gives a secret only from a result that was extracted, or from its own steps.
  if (only === undefined && !isDocument) return names.size > 0 ? byName : (name) => own.includes(name);
  const known = only === undefined || others.length > 0 || isDocument ? undefined : queries?.names.get(only.node);
  if (known === undefined || known.columns === null || known.mixed) return byName;
  return (name) => bySource(known, name, { ofModel, own }) ?? byName(name);
}

/** Null where the column is not certain. */
function bySource(
  { columns, origins, aliased }: StatementNames,
  name: string,
  { ofModel, own }: Pick<SecretContext, 'ofModel' | 'own'>,
): boolean | null {
  const count = columns?.filter((column) => column === name).length ?? 0;
  if (count === 0) return false;
  if (count > 1) return null;
  const model = origins.get(name);
  if (model !== undefined) return ofModel(model).includes(name);
  const source = aliased.get(name);
  if (source != null && source.model !== null) return ofModel(source.model).includes(source.name);
  return source === null && !own.includes(name) ? false : null;
}
