/**
 * The hand-written service that stores files: Koa, multer on disk, the type detected from the bytes, a random name. It is
 * ordinary code, without optimisations and without deliberate delays.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, rename, unlink } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Router from '@koa/router';
import { fileTypeFromFile } from 'file-type';
import Koa, { type Context } from 'koa';
import multer from 'multer';

const folder = mkdtempSync(join(tmpdir(), 'bench-uploads-'));
const stored = join(folder, 'gallery');
await mkdir(stored);

const accept = multer({ dest: join(folder, 'incoming'), limits: { files: 5, fileSize: 10_485_760 } }).any();

const receiveFiles = (req: IncomingMessage, res: unknown): Promise<Express.Multer.File[]> =>
  new Promise((resolve, reject) => {
    accept(req as never, res as never, (error: unknown) => {
      if (error instanceof Error) reject(error);
      else resolve((req as unknown as { files?: Express.Multer.File[] }).files ?? []);
    });
  });

async function storeUpload(ctx: Context): Promise<void> {
  const files = await receiveFiles(ctx.req, ctx.res);
  if (files.length === 0) ctx.throw(422, 'no file');
  const answers: object[] = [];
  for (const file of files) {
    const type = await fileTypeFromFile(file.path);
    if (type?.mime !== 'image/png' || file.mimetype !== 'image/png') {
      await Promise.all(files.map(({ path }) => unlink(path).catch(() => undefined)));
      ctx.throw(415, 'type not accepted');
    }
    const name = `${randomUUID()}.png`;
    await rename(file.path, join(stored, name));
    answers.push({ storage_key: `gallery/${name}`, file_size: file.size });
  }
  ctx.body = answers;
}

const router = new Router();
router.post('/upload', storeUpload);
router.post('/health', (ctx) => {
  ctx.body = { status: 'ok', version: 1 };
});

const app = new Koa();
app.use(async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (error instanceof multer.MulterError) ctx.status = 413;
    else if (error instanceof Koa.HttpError) ctx.status = error.status;
    else ctx.status = 500;
    ctx.body = { message: 'refused' };
  }
});
app.use(router.routes());

const server = app.listen(Number(process.env.PORT ?? 3000), process.env.HOST ?? '127.0.0.1');

process.once('SIGTERM', () => {
  server.close();
  server.closeIdleConnections();
  rmSync(folder, { recursive: true, force: true });
});
