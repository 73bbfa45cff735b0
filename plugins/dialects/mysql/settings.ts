/** They give SQL its PostgreSQL meaning and bound its duration. */
import type { ServerFlavour } from './types.js';

const MODE =
  'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,' +
  'ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,ONLY_FULL_GROUP_BY';

/** `deadline`: milliseconds; 0: none. */
const formatTimeLimit = (flavour: ServerFlavour, deadline: number): string =>
  flavour === 'mysql' ? `max_execution_time = ${Math.ceil(deadline)}` : `max_statement_time = ${deadline / 1000}`;

export const formatTimeSetting = (flavour: ServerFlavour, deadline: number): string =>
  `SET SESSION ${formatTimeLimit(flavour, deadline)}`;

export const formatSessionSettings = (flavour: ServerFlavour, deadline: number): string => {
  const seconds = Math.max(1, Math.ceil(deadline / 1000));
  const limit = formatTimeLimit(flavour, deadline);
  const own = flavour === 'mysql' ? limit : `${limit}, idle_transaction_timeout = ${seconds + 30}`;
  const collation = flavour === 'mysql' ? 'utf8mb4_0900_bin' : 'utf8mb4_nopad_bin';
  return (
    `SET SESSION sql_mode = '${MODE}', time_zone = '+00:00', character_set_client = utf8mb4, ` +
    `character_set_results = utf8mb4, collation_connection = ${collation}, innodb_lock_wait_timeout = ${seconds}, ` +
    `${own}, autocommit = 1`
  );
};
