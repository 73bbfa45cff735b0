/** The measured servers: the hand-written service, Lintel, and Lintel with messages through Redis. */
import { mkdir, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOwnRedis } from '../../test/support/redis.js';
import { onCleanup, createTemporaryFolder } from '../cleanup.js';
import { startDatabase } from '../database.js';
import { listDescendants, pinRunning, type Cores } from '../proc.js';
import { startServer, type Server } from '../server.js';
import { createTables, resetTables } from '../tables.js';
import { createLintelTarget, root, socketBaseline } from '../targets.js';

export interface Contender {
  readonly name: string;
  /** True: only the duration of messages to all connections is measured. */
  readonly onlyAnnounces: boolean;
  /** Seconds between pings. */
  start(ping: number): Promise<Server>;
}

const ANNOUNCE = {
  id: 'announce',
  resource: 'announce',
  actionables: [
    {
      id: 1,
      mode: 'RETURN',
      payload_validation: [
        { field: { number: { type: 'NUMBER' } } },
        { field: { text: { type: 'STRING', max_length: 100 } } },
      ],
      value: { number: '$PAYLOAD.number', text: '$PAYLOAD.text' },
      returnables: ['number', 'text'],
      broadcast_websocket_message: { broadcast_type: 'ALL', action: 'announced' },
    },
  ],
};

/** The definitions of the other rows, and one that sends messages. */
function readDefinitions(): Record<string, unknown> {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(root, 'bench/definitions', file), 'utf8'));
  return {
    '_account.json': read('models/_account.json'),
    'all.json': [read('resources/health.json'), read('tokens/account-mine.json'), ANNOUNCE],
  };
}

async function createInstallation(config: object): Promise<string> {
  const home = await createTemporaryFolder();
  await mkdir(join(home, 'definitions'));
  for (const [name, content] of Object.entries(readDefinitions()))
    await writeFile(join(home, 'definitions', name), JSON.stringify(content));
  await writeFile(join(home, 'lintel.config.json'), JSON.stringify(config));
  return join(home, 'lintel.config.json');
}

/** Clients send as fast as possible here, so the rate limit is raised. */
const createWebsocketOptions = (ping: number): object => ({
  enabled: true,
  ping,
  limits: { rate: 1_000_000, connections: 20_000, per_address: 20_000 },
});

export async function createContenders(cores: Cores | null, print: (line: string) => void): Promise<Contender[]> {
  const database = await startDatabase(cores?.rest, false);
  await createTables(database.client);
  await resetTables(database.client);
  print(database.description);
  const variables = { DATABASE_URL: database.url };
  const connections = { main: { use: 'postgres', url: '$ENV.DATABASE_URL' } };
  const createContender = (name: string, more: object, onlyAnnounces: boolean): Contender => ({
    name,
    onlyAnnounces,
    async start(ping) {
      const config = await createInstallation({ connections, websocket: createWebsocketOptions(ping), ...more });
      return startServer(createLintelTarget(name, config), variables, cores?.server);
    },
  });
  const list: Contender[] = [
    { name: 'baseline', onlyAnnounces: false, start: () => startServer(socketBaseline, variables, cores?.server) },
    createContender('lintel', {}, false),
  ];
  const redis = await startOwnRedis();
  if ('skip' in redis) return list;
  onCleanup(redis.stop);
  if (cores !== null) pinRunning(cores.rest, listDescendants(process.pid));
  return [...list, createContender('lintel, relay redis', { relay: { use: 'redis', url: redis.url } }, true)];
}
