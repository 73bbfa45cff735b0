/**
 * The servers of a whole run, and the .vsix. The process that starts the workers starts each when a worker first requests it.
 */
import { startMongo, stopMongo } from '../support/mongo.js';
import { startMysql, stopMysql } from '../support/mysql.js';
import { startPostgres, stopPostgres } from '../support/postgres.js';
import { startRedis, stopRedis } from '../support/redis.js';
import { startS3, stopS3 } from '../support/s3.js';
import { makeVsix, removeVsix } from '../support/vsix.js';
import type { ServerOrSkip } from '../support/guarded-server.js';
import type { ServerAddress, ServerName, ServerReply } from './messages.js';

const STARTERS: Readonly<Record<ServerName, () => Promise<ServerOrSkip<object>>>> = {
  postgres: startPostgres,
  redis: startRedis,
  mongo: startMongo,
  mariadb: () => startMysql('mariadb'),
  mysql: () => startMysql('mysql'),
  s3: startS3,
  vsix: makeVsix,
};

/** A server that fails to start fails every suite that needs it; it is not started again. */
export async function findServer(name: ServerName): Promise<ServerReply> {
  try {
    const found = await STARTERS[name]();
    const entries = Object.entries(found).filter(([, value]) => typeof value === 'string');
    return { type: 'server', name, found: Object.fromEntries(entries) as ServerAddress };
  } catch (error) {
    return { type: 'server', name, found: { error: error instanceof Error ? error.message : String(error) } };
  }
}

export async function stopServers(): Promise<void> {
  await Promise.all([stopPostgres(), stopRedis(), stopMongo(), stopMysql(), stopS3(), removeVsix()]);
}
