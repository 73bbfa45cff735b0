/**
 * Connects a store to its servers; the driver is loaded on first use. Failures are fixed texts: messages may contain
 * the password.
 */
import type { Db, MongoClient, ObjectId } from 'mongodb';
import { Fault, createFault } from '../../../contract/fault.js';
import { NETWORK_REASONS } from '../../shared/network-reasons.light.js';
import { cleanCause, isMongoConnectionLost, getErrorName, findNetworkCode, getErrorNumber } from './errors.js';
import type { StoreSettings } from './options.js';

export interface MongoConnection {
  readonly client: MongoClient;
  readonly db: Db;
  readonly settings: StoreSettings;
  readonly newId: () => ObjectId;
  /** Not a replica set, so transactions are not supported. */
  readonly standalone: boolean;
  /** Whether a writable server is known, and how often one was found. */
  readonly reach: () => { readonly isAvailable: boolean; readonly times: number };
  readonly print: (command: object) => string;
}

export async function connect(settings: StoreSettings, instance: string): Promise<MongoConnection> {
  const { ObjectId: Id, BSON } = await import('mongodb');
  const { createMongoClient } = await import('../../shared/mongo-client.js');
  const client = createClient(() => createMongoClient(settings.url, settings.client), instance);
  const reach = trackServers(client);
  try {
    await client.connect();
    const db = client.db(settings.database ?? undefined);
    const hello = (await db.admin().command({ hello: 1 })) as { readonly setName?: string; readonly msg?: string };
    // `hello` needs no login; this command does.
    await db.command({ listCollections: 1, nameOnly: true, authorizedCollections: true });
    return {
      client,
      db,
      settings,
      reach,
      newId: () => new Id(),
      standalone: hello.setName === undefined && hello.msg !== 'isdbgrid',
      print: (command) => BSON.EJSON.stringify(command),
    };
  } catch (error) {
    await client.close().catch(() => undefined);
    throw createMongoConnectFault(instance, error);
  }
}

/** The driver parses the address here but does not connect yet. */
function createClient(make: () => MongoClient, instance: string): MongoClient {
  try {
    return make();
  } catch {
    throw createMongoAddressFault(instance);
  }
}

function trackServers(client: MongoClient): MongoConnection['reach'] {
  let state = { isAvailable: false, times: 0 };
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    const isAvailable = [...newDescription.servers.values()].some(({ type }) =>
      ['Standalone', 'RSPrimary', 'Mongos', 'LoadBalancer'].includes(type),
    );
    state = { isAvailable, times: state.times + (isAvailable && !state.isAvailable ? 1 : 0) };
  });
  return () => state;
}

export const createMongoAddressFault = (instance: string): Fault =>
  createFault('QRY_CONNECT', { instance, reason: 'the address is not valid' });

const NUMBERS: Readonly<Record<number, string>> = {
  13: 'the user may not use this database, or the server wants a login',
  18: 'user name or password refused',
  8000: 'user name or password refused',
};
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/Parse|InvalidArgument|MissingCredentials/, 'the address is not valid'],
  [/Compatibility/, 'the server is too old for the driver'],
];

function describeConnectError(error: unknown): string {
  const number = getErrorNumber(error);
  const knownReason = number !== null && Object.hasOwn(NUMBERS, number) ? NUMBERS[number] : undefined;
  const code = findNetworkCode(error);
  const network = Object.hasOwn(NETWORK_REASONS, code) ? NETWORK_REASONS[code] : undefined;
  const named = NAMES.find(([pattern]) => pattern.test(getErrorName(error)))?.[1];
  return (
    knownReason ?? network ?? named ?? (isMongoConnectionLost(error) ? 'no answer in time' : 'the connection failed')
  );
}

/** A later attempt may succeed. */
const PASSING = new Set([6, 7, 89, 91, 189, 9001, 10107, 11600, 11602, 13435, 13436]);
const isPassing = (error: unknown): boolean => {
  const number = getErrorNumber(error);
  return number !== null ? PASSING.has(number) : isMongoConnectionLost(error);
};

export function createMongoConnectFault(instance: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  const params = { instance, reason: describeConnectError(error) };
  return createFault('QRY_CONNECT', params, { cause: cleanCause(error), retryable: isPassing(error) });
}
