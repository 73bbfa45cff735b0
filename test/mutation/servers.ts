/** The servers that all test processes of one run of the tool share: started once, handed on by the variables that tests read. */
import mysql from 'mysql2/promise';
import pg from 'pg';
import type { ServerOrSkip } from '../support/guarded-server.js';
import { startMongo, stopMongo } from '../support/mongo.js';
import { startMysql, stopMysql } from '../support/mysql.js';
import { startPostgres, stopPostgres } from '../support/postgres.js';
import { startRedis, stopRedis } from '../support/redis.js';
import { startS3, stopS3 } from '../support/s3.js';

export interface SharedServers {
  readonly env: Readonly<Record<string, string>>;
  /** Servers that could not be started, with the reason. */
  readonly missing: readonly string[];
  /** Removes the databases that test processes left. */
  removeDatabases(): Promise<void>;
  stop(): Promise<void>;
}

type Start = () => Promise<ServerOrSkip<{ readonly url: string }>>;

const STARTS: readonly (readonly [variable: string, start: Start])[] = [
  ['TEST_DATABASE_URL', startPostgres],
  ['TEST_REDIS_URL', startRedis],
  ['TEST_MARIADB_URL', () => startMysql('mariadb')],
  ['TEST_MYSQL_URL', () => startMysql('mysql')],
  ['TEST_MONGO_URL', startMongo],
];

export async function startServers(): Promise<SharedServers> {
  const env: Record<string, string> = {};
  const missing: string[] = [];
  // A given server is not cleaned: it may hold other databases.
  const ours = new Set<string>();
  for (const [variable, start] of STARTS) {
    const isGiven = Boolean(process.env[variable]);
    const server = await start();
    if ('skip' in server) missing.push(server.skip);
    else {
      env[variable] = server.url;
      if (!isGiven) ours.add(variable);
    }
  }
  const s3 = await startS3();
  if ('skip' in s3) missing.push(s3.skip);
  else {
    const { endpoint, accessKey, secretKey } = s3;
    Object.assign(env, { TEST_S3_ENDPOINT: endpoint, TEST_S3_ACCESS_KEY: accessKey, TEST_S3_SECRET_KEY: secretKey });
  }
  const getOwnUrl = (variable: string): string | undefined => (ours.has(variable) ? env[variable] : undefined);
  return {
    env,
    missing,
    async removeDatabases() {
      await cleanPostgres(getOwnUrl('TEST_DATABASE_URL'));
      await cleanMysql(getOwnUrl('TEST_MARIADB_URL'));
      await cleanMysql(getOwnUrl('TEST_MYSQL_URL'));
    },
    async stop() {
      await Promise.all([stopPostgres(), stopRedis(), stopMysql(), stopMongo(), stopS3()]);
    },
  };
}

async function cleanPostgres(url: string | undefined): Promise<void> {
  if (url === undefined) return;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT datname AS name FROM pg_database WHERE datname LIKE 'lintel\\_test\\_%'`,
    );
    for (const { name } of rows) await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  } finally {
    await client.end();
  }
}

async function cleanMysql(url: string | undefined): Promise<void> {
  if (url === undefined) return;
  const connection = await mysql.createConnection({ uri: url });
  try {
    const [rows] = await connection.query<mysql.RowDataPacket[]>(`SHOW DATABASES LIKE 'lintel\\_test\\_%'`);
    for (const row of rows) await connection.query(`DROP DATABASE IF EXISTS \`${String(Object.values(row)[0])}\``);
  } finally {
    connection.destroy();
  }
}
