/** The caches that suites run on: in the process, and on a Redis of the run, under a unique prefix. */
import { randomUUID } from 'node:crypto';
import { startRedis } from './redis.js';

export interface CachePlace {
  readonly name: string;
  readonly make: () => Promise<
    { readonly config: object; readonly env: Record<string, string> } | { readonly skip: string }
  >;
}
export const PLACES: readonly CachePlace[] = [
  { name: 'memory', make: () => Promise.resolve({ config: { cache: 'memory' }, env: {} }) },
  {
    name: 'redis',
    async make() {
      const server = await startRedis();
      if ('skip' in server) return server;
      const cache = { use: 'redis', url: '$ENV.REDIS', prefix: `test:${randomUUID()}:` };
      return { config: { cache }, env: { REDIS: server.url } };
    },
  },
];
