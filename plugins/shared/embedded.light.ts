/**
 * Default location of queues, schedules and documents. Embedded ones are in the SQL connection `main`, or in an
 * embedded database next to MySQL.
 */
import type { ConfigContext } from '../../contract/kind.js';
import type { JsonObject } from '../../contract/json.js';

export const EMBEDDED_CONNECTION = 'embedded';

export const createEmbeddedDefault = ({ has, written }: ConfigContext): JsonObject =>
  has('MYSQL_URL') && !has('DATABASE_URL') && !written('connections')
    ? { use: 'embedded', connection: EMBEDDED_CONNECTION }
    : { use: 'embedded' };

/** The first server that the environment names. */
export function chooseServer(given: ConfigContext): JsonObject {
  const { has } = given;
  if (has('DATABASE_URL')) return { use: 'postgres', url: '$ENV.DATABASE_URL' };
  if (has('MONGO_URL')) return { use: 'mongo', url: '$ENV.MONGO_URL' };
  return has('REDIS_URL') ? { use: 'redis', url: '$ENV.REDIS_URL' } : createEmbeddedDefault(given);
}
