/** The syntax and the reserved words of the database that runs a statement. */
import type { PluginFacts } from '../../contract/facts.js';
import { asText } from '../../contract/json.js';
import { findMember } from '../../language/source/tree.js';
import type { DocumentContext } from '../document-context.js';
import type { QueryContext } from './query-context.js';

const NONE: ReadonlySet<string> = new Set();

/** Words in addition to those reserved in every dialect. */
export function listReservedWords(view: DocumentContext, query: QueryContext): ReadonlySet<string> {
  const words = findDatabaseFacts(view, query)?.reserved;
  return words === undefined ? NONE : new Set(words);
}

/** Null where it is unknown. */
export function findSyntax(view: DocumentContext, query: QueryContext): string | null {
  return findDatabaseFacts(view, query)?.syntax ?? null;
}

function findDatabaseFacts({ registry, project }: DocumentContext, query: QueryContext): PluginFacts | undefined {
  const { store, beside } = query.field.meta;
  if (store === undefined) return undefined;
  const named = query.around && beside?.connection && findMember(query.around, beside.connection)?.value;
  const ran = query.action?.stores.find(({ kind }) => kind === store)?.instance;
  const instance = named ? asText(named.scalar) : (ran ?? registry.kind(store)?.config?.must);
  const chosen = project.config.chosen.find((one) => one.kind === store && one.instance === instance);
  return chosen && registry.plugin(store, chosen.name)?.facts;
}
