/** Opens one bucket of an S3 server and creates URLs. Never logs access keys. */
import { Client, S3Error } from 'minio';
import { createFault } from '../../../contract/fault.js';
import type { JsonObject } from '../../../contract/json.js';
import { defineRuntime } from '../../../contract/plugin.js';
import type { Log } from '../../../contract/plugin.js';
import { storage } from '../kind.js';
import type { Storage } from '../kind.js';
import { isStorageKey } from '../shared/key.light.js';
import { getStorageErrorCode, toOpenFault, toStorageFault } from './errors.js';
import { readOptions } from './options.js';
import type { Address, Options } from './options.js';
import { createSweep, type Sweep } from './sweep.js';
import { createTransport, type Transport } from './transport.js';
import { clear, retryOnConnectionCut, put, type Bucket } from './upload.js';

interface Store {
  readonly options: Options;
  readonly bucket: Bucket;
  /** Does not contact the server. */
  readonly signer: Client;
  readonly sweep: Sweep;
  readonly transport: Transport;
}

const MOST_SHOWN = 200;
/** Milliseconds for a list of files. */
const LIST_MS = 5000;

/** S3 signatures are valid for at most a week. */
const LONGEST_SECONDS = 7 * 24 * 3600;

interface MinioStorage extends Storage {
  /** Null until it is open. */
  store: Store | null;
}

function requireStore({ store }: MinioStorage): Store {
  if (store === null) throw createFault('STO_AWAY', {}, { retryable: true, headers: { 'retry-after': '1' } });
  return store;
}

function createClient(options: Options, { host, port, isTls }: Address, transport: Transport | null): Client {
  return new Client({
    endPoint: host,
    port,
    useSSL: isTls,
    accessKey: options.accessKey,
    secretKey: options.secretKey,
    region: options.region,
    pathStyle: options.pathStyle,
    // The client's retries have no deadline and print to the console.
    retryOptions: { disableRetry: true },
    ...(transport && { transport: transport.transport, transportAgent: transport.agent }),
  });
}

function createStore(options: Options, log: Log): Store {
  const deadlines = { connect: options.connectTimeout, idle: options.idleTimeout };
  const transport = createTransport(options.endpoint.isTls, deadlines);
  const client = createClient(options, options.endpoint, transport);
  const name = options.bucket;
  // A sweep that a request has started goes on after its deadline.
  const sweep = createSweep((leftover) => transport.runUntil(Infinity, () => clear({ client, name }, leftover)), log);
  const { closeIdleSockets } = transport;
  const bucket: Bucket = {
    client,
    name,
    closeIdleSockets: closeIdleSockets,
    addLeftover: (leftover) => sweep.add(leftover),
    isUnconditional: false,
  };
  return {
    options,
    bucket,
    signer: createClient(options, options.publicEndpoint, null),
    sweep,
    transport,
  };
}

/** Signed files have a prefix that no upload folder can have, so that a public policy on a folder does not include them. */
function toObjectName(key: string, isSigned: boolean): string {
  // Validated again, because the key becomes part of an object name.
  if (!isStorageKey(key)) throw createFault('STO_REFUSED', {}, { cause: new Error('not a key') });
  return isSigned ? `.signed/${key}` : key;
}

/** A removal does not know how the file was stored. */
const listObjectNames = (keys: readonly string[]): string[] =>
  keys.filter(isStorageKey).flatMap((key) => [toObjectName(key, false), toObjectName(key, true)]);

function createUrl({ options, signer, bucket }: Store, key: string, seconds: number | null): string | Promise<string> {
  const object = toObjectName(key, seconds !== null);
  if (seconds === null && options.url !== null) return options.url + object;
  const allowed = Math.min(Math.max(Math.ceil(seconds ?? LONGEST_SECONDS), 1), LONGEST_SECONDS);
  return signer.presignedGetObject(bucket.name, object, allowed);
}

async function removeAll(bucket: Bucket, keys: readonly string[]): Promise<void> {
  const { client, name } = bucket;
  const answers = await retryOnConnectionCut(bucket, () => client.removeObjects(name, [...keys]));
  // The response lists only failures, each as an error.
  const failed = answers.map((answer) => (answer as { readonly Code?: unknown } | null)?.Code);
  if (failed.length === 0) return;
  throw Object.assign(new S3Error(`${failed.length} of ${keys.length} stay`), { code: failed[0] });
}

async function listObjects({ client, name }: Bucket, most: number): Promise<JsonObject[]> {
  const files: JsonObject[] = [];
  for await (const item of client.listObjectsV2(name, '', true)) {
    const { name: key = '', size, lastModified } = item as { name?: string; size: number; lastModified?: Date };
    files.push({ key, bytes: size, stored: lastModified?.toISOString() ?? null });
    if (files.length >= most) break;
  }
  return files;
}

async function openBucket({ bucket, options }: Store): Promise<void> {
  const { client, name } = bucket;
  if (await client.bucketExists(name)) return;
  if (!options.createBucket) {
    const reason = 'it does not exist; make it, or write `"create_bucket": true`';
    throw createFault('STO_OPEN', { place: `the bucket ${name}`, reason });
  }
  await client.makeBucket(name, options.region).catch((error: unknown) => {
    // Another process has created it.
    if (getStorageErrorCode(error) !== 'BucketAlreadyOwnedByYou') throw error;
  });
}

export default defineRuntime<Storage, MinioStorage>(storage, {
  create() {
    const handle: MinioStorage = {
      store: null,
      async put(key, file, requester) {
        try {
          const { bucket, transport } = requireStore(handle);
          const name = toObjectName(key, file.signed === true);
          await transport.runUntil(requester?.invocation.deadline, () => put(bucket, name, file));
        } catch (error) {
          throw toStorageFault(error, 'put');
        }
      },
      url: (key, seconds) => createUrl(requireStore(handle), key, seconds),
      async remove(keys, requester) {
        const objects = listObjectNames(keys);
        if (objects.length === 0) return;
        try {
          const { bucket, transport } = requireStore(handle);
          await transport.runUntil(requester?.invocation.deadline, () => removeAll(bucket, objects));
        } catch (error) {
          throw toStorageFault(error, 'remove');
        }
      },
      removeInBackground(keys) {
        const { sweep } = requireStore(handle);
        for (const key of listObjectNames(keys)) sweep.add({ key, parts: null });
      },
    };
    return handle;
  },

  createConsolePane: (handle) => ({
    title: 'Files',
    async read() {
      const { bucket, transport } = requireStore(handle);
      const until = performance.now() + LIST_MS;
      return { files: await transport.runUntil(until, () => listObjects(bucket, MOST_SHOWN)) };
    },
  }),

  describeStorage: () => ({ elsewhere: 'the tools of the server that has the bucket' }),

  async open(handle, context) {
    const options = readOptions(context.options);
    const store = createStore(options, context.log);
    try {
      await openBucket(store);
    } catch (error) {
      store.transport.agent.destroy();
      throw toOpenFault(error, options.bucket);
    }
    handle.store = store;
  },

  async close(handle) {
    const { store } = handle;
    handle.store = null;
    await store?.sweep.close();
    store?.transport.agent.destroy();
  },

  async health(handle) {
    try {
      const { client, name } = requireStore(handle).bucket;
      return (await client.bucketExists(name)) ? { ok: true } : { ok: false, detail: 'the bucket does not exist' };
    } catch {
      return { ok: false, detail: 'the storage does not respond' };
    }
  },
});
