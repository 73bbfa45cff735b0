/** Has the server explain its calls, and never runs them. */
import { DescribedRejection, type Document, type DocumentStore } from '../kind.js';
import type { MongoConnection } from './connection.js';
import { cleanCause } from './errors.js';

/** Others concern the session, privileges or the server. */
const ABOUT_QUERY = new Set([2, 9, 14, 40, 52, 56, 168, 31]);
/** Numbers of places in the server, each with one cause; the lowest are for its state. */
const FIRST_PLACE = 15_000;

interface ServerError {
  readonly code?: unknown;
  readonly codeName?: unknown;
  readonly errmsg?: unknown;
}

export function createDescribingStore(store: DocumentStore, connection: () => MongoConnection): DocumentStore {
  const explainCommand = async (command: Document): Promise<readonly Document[]> => {
    try {
      const { db, settings } = connection();
      await db.command({ explain: command, verbosity: 'queryPlanner', maxTimeMS: settings.deadline });
      return [];
    } catch (error) {
      const { code, codeName, errmsg } = error as ServerError;
      const isPlace = Number(code) >= FIRST_PLACE && /^Location\d+$/.test(String(codeName));
      if (typeof errmsg === 'string' && (ABOUT_QUERY.has(Number(code)) || isPlace))
        throw new DescribedRejection(errmsg);
      throw cleanCause(error);
    }
  };
  return {
    ...store,
    insert: () => Promise.resolve([]),
    find: (find, filter, { sort, skip, limit, projection }) =>
      explainCommand({
        find,
        filter,
        ...(sort && { sort }),
        ...(skip && { skip }),
        ...(limit && { limit }),
        ...(projection && { projection }),
      }),
    update: (update, q, u, { one, upsert, arrayFilters }) =>
      explainCommand({
        update,
        updates: [
          {
            q,
            u,
            multi: one !== true && !Array.isArray(u),
            ...(upsert && { upsert }),
            ...(arrayFilters && { arrayFilters }),
          },
        ],
      }),
    remove: (name, q, { one }) => explainCommand({ delete: name, deletes: [{ q, limit: one === true ? 1 : 0 }] }),
    count: async (aggregate, filter) => {
      await explainCommand({ aggregate, pipeline: [{ $match: filter }], cursor: {} });
      return 0;
    },
    aggregate: (aggregate, pipeline) => explainCommand({ aggregate, pipeline: [...pipeline], cursor: {} }),
  };
}
