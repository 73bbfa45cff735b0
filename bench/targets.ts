/**
 * The measured servers, each as the arguments of a Node command. A new target is one more entry that serves the rows of
 * `rows.ts`; it gets HOST, PORT, DATABASE_URL and LOG_LEVEL as environment variables.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Target {
  readonly name: string;
  readonly args: readonly string[];
}

/** The folder of the repository; this file runs in `dist/bench`. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

export const baseline: Target = { name: 'baseline', args: [join(root, 'dist/bench/baseline/server.js')] };

/** Faster services of the same rows; measured only if `--targets` names them. */
export const contenders: readonly Target[] = [
  { name: 'fastify', args: [join(root, 'dist/bench/tuned/fastify.js')] },
  { name: 'koa-tuned', args: [join(root, 'dist/bench/tuned/koa.js')] },
  { name: 'node-http', args: [join(root, 'dist/bench/tuned/node-http.js')] },
];

/** The service that all targets request in the row with an outbound call. */
export const remote: Target = { name: 'remote', args: [join(root, 'dist/bench/remote.js')] };

/** The hand-written service that stores files. */
export const uploadBaseline: Target = { name: 'baseline', args: [join(root, 'dist/bench/baseline/uploads.js')] };

/** The hand-written services that accept jobs, and that hold WebSocket connections. */
export const jobBaseline: Target = { name: 'agenda', args: [join(root, 'dist/bench/baseline/jobs.js')] };
export const socketBaseline: Target = { name: 'baseline', args: [join(root, 'dist/bench/baseline/sockets.js')] };

/** The hand-written services of accounts on other databases. */
export const mysqlBaseline: Target = { name: 'baseline', args: [join(root, 'dist/bench/baseline/mysql.js')] };
export const documentBaseline: Target = { name: 'baseline', args: [join(root, 'dist/bench/baseline/documents.js')] };

export const createLintelTarget = (name: string, config: string): Target => ({
  name,
  args: [join(root, 'dist/bundle/cli.js'), 'serve', '--config', config],
});
