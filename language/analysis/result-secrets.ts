/** Whether a field of a result is secret: by its source column if known, else by its name. */
import type { StatementNames } from '../../contract/statement-text.js';
import type { LinkedAction, LinkedResource } from './linked-resource.js';
import { isInside } from './report.js';
import { getRootName } from './sources.js';
import type { Queries } from './link-group.js';

export interface SecretContext {
  /** The fields that are hashed, encrypted or marked as secret. */
  readonly ofModel: (model: string) => readonly string[];
  /** Names that tables or actionables protect, with all aliases. */
  readonly named: ReadonlySet<string>;
  /** Names that the resource's own actionables protect. */
  readonly own: readonly string[];
}

/** The predicate takes dotted paths into the result. */
export function createSecretTest(
  { definition: { finds }, names }: LinkedResource,
  { node }: LinkedAction,
  queries: Queries | undefined,
  { ofModel, named, own }: SecretContext,
): (path: string) => boolean {
  const byName = (path: string): boolean => isNamed(path, (name) => named.has(name));
  const byOwn = (path: string): boolean => isNamed(path, (name) => own.includes(name));
  const selectInAction = <T extends { readonly node: LinkedAction['node'] }>(list: readonly T[]): readonly T[] =>
    list.filter((one) => isInside(one.node, node));
  const [only, ...others] = selectInAction(finds.statements);
  const isDocument = selectInAction(finds.documents).length > 0;
  // Without a query, only extracted results or own actionables have secrets.
  if (only === undefined && !isDocument) return names.size > 0 ? byName : byOwn;
  const known = only === undefined || others.length > 0 || isDocument ? undefined : queries?.names.get(only.node);
  if (known === undefined || known.columns === null || known.mixed) return byName;
  return (path) => {
    const source = findColumnSource(known, getRootName(path));
    if (source === undefined) return byName(path);
    if (typeof source?.model !== 'string') return byOwn(path);
    const { model, name } = source;
    return isNamed([name, ...path.split('.').slice(1)].join('.'), (one) => ofModel(model).includes(one));
  };
}

/** True if the path or one of its segments matches. */
const isNamed = (path: string, has: (name: string) => boolean): boolean => has(path) || path.split('.').some(has);

/** Null if it reads no table or the result lacks it, undefined if the source is uncertain. */
function findColumnSource({ columns, origins, aliased }: StatementNames, name: string) {
  const count = columns?.filter((column) => column === name).length ?? 0;
  if (count === 0) return null;
  if (count > 1) return undefined;
  const model = origins.get(name);
  return model === undefined ? aliased.get(name) : { name, model };
}
