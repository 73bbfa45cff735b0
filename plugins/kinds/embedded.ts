/**
 * Where embedded queues, schedules and documents lie when the config is silent: in the SQL connection `main`, or, because a MySQL cannot
 * hold them, in an embedded database beside it. Says what the config would; opens nothing.
 */
import type { ConfigGiven } from '../../kernel/contract/kind.js';
import type { JsonObject } from '../../kernel/contract/json.js';

/** The connection that is there beside a MySQL. */
export const BESIDE_MYSQL = 'embedded';

export const embedded = ({ has, written }: ConfigGiven): JsonObject =>
  has('MYSQL_URL') && !has('DATABASE_URL') && !written('connections')
    ? { use: 'embedded', connection: BESIDE_MYSQL }
    : { use: 'embedded' };
