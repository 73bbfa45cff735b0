/** The syntax and the reserved words of the database that runs a statement. */
import type { PluginFacts } from '../../contract/facts.js';
import { asText } from '../../contract/json.js';
import { findMember } from '../../language/source/tree.js';
import type { SqlSource } from '../../plugins/queries/sql/text/sources.js';
import type { DocumentContext } from '../document-context.js';
import type { QueryContext } from './query-context.js';
import { getTables } from './tables.js';

const NONE: ReadonlySet<string> = new Set();

type Sources = readonly SqlSource[];

/** Words in addition to those reserved in every dialect. */
export function listReservedWords(view: DocumentContext, query: QueryContext, read: Sources): ReadonlySet<string> {
  const words = findDatabaseFacts(view, query, read)?.reserved;
  return words === undefined ? NONE : new Set(words);
}

/** Null where it is unknown. */
export function findSyntax(view: DocumentContext, query: QueryContext, read: Sources = []): string | null {
  return findDatabaseFacts(view, query, read)?.syntax ?? null;
}

/** The connection that a statement names, or else a model that it reads. */
export function findConnection(view: DocumentContext, { around, field }: QueryContext, read: Sources): string | null {
  const { beside } = field.meta;
  const key = beside?.connection;
  const named = around === null || key === undefined ? null : findMember(around, key)?.value;
  const tables = getTables(view);
  const models = read.flatMap(({ table }) => (table === null ? [] : (tables.findModel(table) ?? [])));
  const node = named ?? models.find(({ definition }) => definition.connection !== null)?.definition.connection ?? null;
  return node === null ? null : asText(node.scalar);
}

function findDatabaseFacts(view: DocumentContext, query: QueryContext, read: Sources): PluginFacts | undefined {
  const { registry, project } = view;
  const { store } = query.field.meta;
  if (store === undefined) return undefined;
  const ran = query.action?.stores.find(({ kind }) => kind === store)?.instance;
  const instance = findConnection(view, query, read) ?? ran ?? registry.kind(store)?.config?.must;
  const chosen = project.config.chosen.find((one) => one.kind === store && one.instance === instance);
  return chosen && registry.plugin(store, chosen.name)?.facts;
}
