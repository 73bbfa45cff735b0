/**
 * Default location of embedded queues, schedules and documents: the SQL connection `main`, or an embedded database
 * next to MySQL.
 */
import type { ConfigContext } from '../../contract/kind.js';
import type { JsonObject } from '../../contract/json.js';

export const EMBEDDED_CONNECTION = 'embedded';

export const createEmbeddedDefault = ({ has, written }: ConfigContext): JsonObject =>
  has('MYSQL_URL') && !has('DATABASE_URL') && !written('connections')
    ? { use: 'embedded', connection: EMBEDDED_CONNECTION }
    : { use: 'embedded' };
