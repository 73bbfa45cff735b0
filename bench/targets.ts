/**
 * Who is measured: one entry per server, each a Node command line. A new competitor is one more entry that answers the
 * rows of rows.ts; HOST, PORT, DATABASE_URL and LOG_LEVEL reach it as environment variables.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Target {
  readonly name: string;
  readonly args: readonly string[];
}

/** The repository; this file runs from dist/bench. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

export const baseline: Target = { name: 'baseline', args: [join(root, 'dist/bench/baseline/server.js')] };

/** Fast services of the same rows; only measured when they are named. */
export const contenders: readonly Target[] = [
  { name: 'fastify', args: [join(root, 'dist/bench/tuned/fastify.js')] },
  { name: 'koa-tuned', args: [join(root, 'dist/bench/tuned/koa.js')] },
  { name: 'node-http', args: [join(root, 'dist/bench/tuned/node-http.js')] },
];

/** The service that both call in the row with a call. */
export const remote: Target = { name: 'remote', args: [join(root, 'dist/bench/remote.js')] };

/** The hand-written service for files. */
export const uploadBaseline: Target = { name: 'baseline', args: [join(root, 'dist/bench/baseline/uploads.js')] };

/** The hand-written services that accept jobs, and that keep connections open. */
export const jobBaseline: Target = { name: 'agenda', args: [join(root, 'dist/bench/baseline/jobs.js')] };
export const socketBaseline: Target = { name: 'baseline', args: [join(root, 'dist/bench/baseline/sockets.js')] };

/** The hand-written services of accounts on other databases. */
export const mysqlBaseline: Target = { name: 'baseline', args: [join(root, 'dist/bench/baseline/mysql.js')] };
export const documentBaseline: Target = { name: 'baseline', args: [join(root, 'dist/bench/baseline/documents.js')] };

export const createLintelTarget = (name: string, config: string): Target => ({
  name,
  args: [join(root, 'dist/bundle/cli.js'), 'serve', '--config', config],
});
