/**
 * The hand-written service that accepts jobs: Koa, @koa/router, koa-body, yup and Agenda with its own backend for the
 * server. A job is due in an hour, so the service only accepts it.
 */
import Router from '@koa/router';
import { Agenda } from 'agenda';
import Koa, { type Context } from 'koa';
import { koaBody } from 'koa-body';
import { number, object, ValidationError } from 'yup';
import { createAgendaBackend } from '../jobs/sides.js';
import type { Address } from '../../test/support/queues.js';

const backend = createAgendaBackend(JSON.parse(process.env.BENCH_STORE ?? '') as Address);
// No worker is needed: no job is due.
const agenda = new Agenda({ backend });
agenda.define('job', async () => undefined);
await agenda.ready;

const jobRequest = object({ id: number().required() });

async function accept(ctx: Context): Promise<void> {
  let payload: { id: number };
  try {
    payload = jobRequest.validateSync(ctx.request.body, { strict: true, abortEarly: false });
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    ctx.status = 422;
    ctx.body = { message: 'the payload is not valid', errors: error.errors };
    return;
  }
  const job = await agenda.schedule(new Date(Date.now() + 3_600_000), 'job', payload);
  ctx.status = 202;
  ctx.body = { accepted: true, id: String(job.attrs._id) };
}

const router = new Router();
router.post('/job', accept);
router.post('/health', (ctx) => {
  ctx.body = { status: 'ok', version: 1 };
});

const app = new Koa();
app.use(koaBody());
app.use(router.routes());
const server = app.listen(Number(process.env.PORT ?? 3000), process.env.HOST ?? '127.0.0.1');

process.once('SIGTERM', () => {
  server.close(() => void backend.disconnect());
  server.closeIdleConnections();
});
