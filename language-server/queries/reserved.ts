/** Reserved words of the database that runs a statement; names that equal them must be quoted. */
import { asText } from '../../contract/json.js';
import { findMember } from '../../language/source/tree.js';
import type { DocumentContext } from '../document-context.js';
import type { QueryContext } from './query-context.js';

const NONE: ReadonlySet<string> = new Set();

/** Words in addition to those reserved in every dialect. */
export function listReservedWords({ registry, project }: DocumentContext, query: QueryContext): ReadonlySet<string> {
  const { store, beside } = query.field.meta;
  if (store === undefined) return NONE;
  const named = query.around && beside?.connection && findMember(query.around, beside.connection)?.value;
  const ran = query.action?.stores.find(({ kind }) => kind === store)?.instance;
  const instance = named ? asText(named.scalar) : (ran ?? registry.kind(store)?.config?.must);
  const chosen = project.config.chosen.find((one) => one.kind === store && one.instance === instance);
  const words = chosen && registry.plugin(store, chosen.name)?.facts?.['reserved'];
  return Array.isArray(words) ? new Set(words.map(asText)) : NONE;
}
