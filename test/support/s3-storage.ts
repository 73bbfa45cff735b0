/** The storage `minio` on a bucket of its own, with a proxy in between that can fail; opened as the kernel opens it. */
import type { Log } from '../../contract/plugin.js';
import type { Storage } from '../../plugins/storages/kind.js';
import runtime from '../../plugins/storages/minio/runtime.js';
import { startFaultProxy, type FaultProxy } from './fault-proxy.js';
import type { ServerOrSkip } from './guarded-server.js';
import { createBucket, listBucketObjects, listOpenUploads, createS3Client, startS3, type S3Server } from './s3.js';

export interface S3Subject {
  readonly storage: Storage;
  readonly proxy: FaultProxy;
  readonly server: S3Server;
  readonly bucket: string;
  /** Rows of the log. */
  readonly rows: readonly object[];
  readonly read: (url: string) => Promise<Response>;
  readonly listStoredKeys: () => Promise<readonly string[]>;
  readonly leave: () => Promise<void>;
  readonly comeBack: () => Promise<void>;
  readonly health: () => Promise<{ readonly ok: boolean }>;
  readonly close: () => Promise<void>;
}

/** Opens the plugin with options as the config resolves them. */
export async function openMinio(
  options: Readonly<Record<string, unknown>>,
): Promise<{ storage: Storage; rows: object[] }> {
  const rows: object[] = [];
  const recordRow = (fields: object, message: string): void => void rows.push({ ...fields, message });
  const log: Log = { debug: recordRow, info: recordRow, warn: recordRow, error: recordRow };
  const context = {
    id: 'storage:minio',
    instance: 'minio',
    options,
    log,
    signal: new AbortController().signal,
    env: () => undefined,
    folder: '.',
    resolve: () => {
      throw new Error('nothing to resolve');
    },
  };
  const handle = runtime.create!(context);
  await runtime.open!(handle, context);
  return { storage: handle, rows };
}

export async function createS3Subject(more: Readonly<Record<string, unknown>> = {}): Promise<ServerOrSkip<S3Subject>> {
  const server = await startS3();
  if ('skip' in server) return server;
  const bucket = await createBucket();
  const { hostname, port } = new URL(server.endpoint);
  const proxy = await startFaultProxy({ host: hostname, port: Number(port) });
  const { storage, rows } = await openMinio({
    endpoint: `http://127.0.0.1:${proxy.port}`,
    access_key: server.accessKey,
    secret_key: server.secretKey,
    bucket,
    ...more,
  });
  const direct = createS3Client(server);
  return {
    storage,
    proxy,
    server,
    bucket,
    rows,
    read: (url) => fetch(url),
    listStoredKeys: async () =>
      [...(await listBucketObjects(direct, bucket)), ...(await listOpenUploads(direct, bucket))]
        .map((name) => name.replace(/^\.signed\//, ''))
        .sort(),
    leave: () => proxy.rejectConnections(),
    comeBack: () => proxy.passTraffic(),
    health: () => runtime.health!(storage),
    close: async () => {
      await runtime.close!(storage);
      await proxy.close();
    },
  };
}
