/** Converts the options of a connection to those of the driver. */
import type { ConnectionOptions } from 'mysql2';
import type { Isolation } from '../kind.js';
import { readLimits, type ResultLimits } from '../../shared/results.js';
import { ISOLATION_LEVELS } from '../shared/isolation-levels.js';

export interface MysqlOptions {
  readonly client: ConnectionOptions;
  readonly pool: number;
  /** The following times are in milliseconds. */
  readonly poolWait: number;
  readonly idle: number;
  readonly deadline: number;
  readonly limits: ResultLimits;
  /** Large results need not be held. */
  readonly streams: boolean;
  readonly isReplica: boolean;
  /** As in `Dialect.begin`. */
  readonly isolation: (need: Isolation) => string;
}

const toNumber = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

/** Null for an invalid address. Only `ssl` and `sslmode` are read. */
function parseAddress(url: unknown): ConnectionOptions | null {
  if (typeof url !== 'string' || !/^(?:mysql|mariadb):\/\//.test(url) || !URL.canParse(url)) return null;
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const database = decodeURIComponent(pathname.slice(1));
  const tls = searchParams.get('ssl') ?? searchParams.get('sslmode');
  if (hostname === '' || database === '') return null;
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? 3306 : Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database,
    ...(tls !== null && !/^(?:false|0|disable[d]?)$/.test(tls) && { ssl: { rejectUnauthorized: tls !== 'no-verify' } }),
  };
}

export function readMysqlOptions(options: Readonly<Record<string, unknown>>): MysqlOptions | null {
  const address = parseAddress(options['url']);
  const deadline = toNumber(options['statement_timeout'], 10) * 1000;
  const poolWait = toNumber(options['pool_wait'], 2) * 1000;
  const isolation = typeof options['isolation'] === 'string' ? options['isolation'] : 'auto';
  return (
    address && {
      client: {
        ...address,
        charset: 'UTF8MB4_BIN',
        timezone: 'Z',
        connectTimeout: Math.max(poolWait, 2000),
        dateStrings: true,
        supportBigNumbers: true,
        bigNumberStrings: true,
        jsonStrings: true,
        rowsAsArray: true,
        multipleStatements: false,
        // Affected rows count changed rows, not found ones.
        flags: ['-FOUND_ROWS', '-LOCAL_FILES', '-IGNORE_SPACE'],
        infileStreamFactory: () => {
          throw new Error('LOCAL INFILE is refused');
        },
        maxPreparedStatements: 500,
      },
      pool: toNumber(options['pool_size'], 10),
      poolWait,
      idle: toNumber(options['idle_timeout'], 30) * 1000,
      deadline,
      limits: readLimits(options),
      streams: options['result_rows'] === undefined && options['result_bytes'] === undefined,
      isReplica: options['replica_of'] !== undefined,
      // MySQL's serializable transactions lock what they read, so others wait.
      isolation: ({ level }) => (isolation === 'auto' ? ISOLATION_LEVELS[level] : isolation),
    }
  );
}
