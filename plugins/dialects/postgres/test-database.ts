/** A database of its own for `lintel test --database`, on the configured server. */
import pg from 'pg';
import { createFault } from '../../../contract/fault.js';
import type { RuntimeContext } from '../../../contract/plugin.js';
import type { TestDatabase } from '../../../contract/tests.js';
import { createAddressFault, createConnectFault } from '../shared/connect.js';
import { getSqlState } from '../shared/errors.js';
import { postgresFlavour } from '../shared/postgres-flavour.js';
import type { Row } from '../kind.js';
import type { WithSession } from '../shared/session.js';
import type { TestSession } from '../shared/postgres-test-store.js';
import { getParser } from '../shared/types.js';
import type { PgConnection } from './connection.js';
import { readPostgresOptions } from './options.js';

const { quote } = postgresFlavour;
const FORBIDDEN = 'its user may not create a database for the tests';

export async function createTestDatabase(
  { instance, options }: Pick<RuntimeContext, 'instance' | 'options'>,
  name: string,
): Promise<TestDatabase> {
  const url = String(options['url']);
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) throw createAddressFault(instance);
  const address = new URL(url);
  address.pathname = `/${name}`;
  const withClient = createWithClient({ instance, options });
  const runCommand = (text: string): Promise<unknown> =>
    withClient((session) => session.query(text)).catch((error: unknown) => {
      const isForbidden = getSqlState(error) === '42501';
      throw isForbidden
        ? createFault('QRY_CONNECT', { instance, reason: FORBIDDEN })
        : createConnectFault(instance, error);
    });
  await runCommand(`CREATE DATABASE ${quote(name)}`);
  return {
    options: { ...options, url: address.href },
    // Connections of the kernel may still be closing.
    drop: async () => void (await runCommand(`DROP DATABASE IF EXISTS ${quote(name)} WITH (FORCE)`)),
  };
}

/** On a connection of its own, before anything is open. */
export const createWithClient =
  ({ instance, options }: Pick<RuntimeContext, 'instance' | 'options'>): WithSession =>
  async (work) => {
    const url = String(options['url']);
    if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) throw createAddressFault(instance);
    const client = new pg.Client(readPostgresOptions(options).client);
    try {
      await client.connect().catch((error: unknown) => {
        throw createConnectFault(instance, error);
      });
      return await work({ query: async (text, values) => (await client.query<Row>(text, values && [...values])).rows });
    } finally {
      await client.end().catch(() => undefined);
    }
  };

/** Rows have the values that definitions see. */
export const createTestSession = (
  withConnection: <T>(work: (connection: PgConnection) => Promise<T>) => Promise<T>,
): TestSession => ({
  query: <T>(text: string, values: unknown[] = []) =>
    withConnection(async ({ client }) => {
      const { rows } = await client.query({ text, values, types: { getTypeParser: getParser as never } });
      return { rows: rows as T[] };
    }),
  exec: (text) => withConnection(({ client }) => client.query(text)),
});
