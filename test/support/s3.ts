/**
 * An S3 server for tests: TEST_S3_ENDPOINT with TEST_S3_ACCESS_KEY and TEST_S3_SECRET_KEY, or a one-node Ceph with its
 * RADOS Gateway, in memory, on free ports. One for the whole run (it takes about ten seconds to start), started by the
 * first suite that needs it; every suite uses a separate bucket. Stops only what it started.
 */
import { randomUUID } from 'node:crypto';
import { Client } from 'minio';
import { pickFreePort, skipWithReason, findProgram, startGuardedServer, type ServerOrSkip } from './guarded-server.js';
import { shareServer, stopSharedServer, runAtEnd } from './shared-server.js';
import { NO_S3 } from './skip.js';

export interface S3Server {
  /** `http://127.0.0.1:7480`, without a path. */
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly stop: () => Promise<void>;
}

const PROGRAMS = ['ceph', 'ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'ceph-authtool', 'monmaptool'];

/** With authentication and the second protocol, without which the gateway waits five minutes for a monitor. */
const formatConfig = (dir: string, port: number, monitor: number, cluster: string): string => `
[global]
fsid = ${cluster}
mon_host = v2:127.0.0.1:${monitor}
run_dir = ${dir}
admin_socket = ${dir}/$name.asok
log_file = ${dir}/$name.log
pid_file = ${dir}/$name.pid
keyring = ${dir}/keyring
crash_dir = ${dir}
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 4
osd_pool_default_pgp_num = 4
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 2000
auth_allow_insecure_global_id_reclaim = false
client_mount_timeout = 15
rgw_init_timeout = 25
[mon.a]
mon_data = ${dir}/mon
mon_data_avail_crit = 1
[osd]
osd_objectstore = memstore
memstore_device_bytes = 2147483648
osd_data = ${dir}/osd
[client.rgw]
rgw_data = ${dir}/rgw
rgw_frontends = beast endpoint=127.0.0.1:${port}
`;

interface Cluster {
  readonly port: number;
  readonly monitor: number;
  readonly accessKey: string;
  readonly secretKey: string;
}

function formatScript(dir: string, { port, monitor, accessKey, secretKey }: Cluster): string {
  const cluster = randomUUID();
  const disk = randomUUID();
  const formatKeyCommand = (name: string, ...caps: string[]): string =>
    `ceph-authtool keyring --gen-key -n ${name} ${caps.map((cap) => `--cap ${cap} 'allow *'`).join(' ')}`;
  return `
cd '${dir}'
mkdir mon osd rgw
cat >ceph.conf <<'CONF'
${formatConfig(dir, port, monitor, cluster)}
CONF
ceph-authtool -C keyring
${formatKeyCommand('mon.', 'mon')}
${formatKeyCommand('client.admin', 'mon', 'osd', 'mgr')}
${formatKeyCommand('client.rgw', 'mon', 'osd')}
${formatKeyCommand('osd.0', 'mon', 'osd')}
monmaptool --create --addv a '[v2:127.0.0.1:${monitor}]' --fsid ${cluster} --enable-all-features monmap
ceph-mon -c ceph.conf --mkfs -i a --monmap monmap --keyring keyring
keep ceph-mon -c ceph.conf -i a -f
timeout 30 ceph -c ceph.conf --connect-timeout 20 osd new ${disk}
ceph-osd -c ceph.conf -i 0 --mkfs --osd-uuid ${disk}
keep ceph-osd -c ceph.conf -i 0 -f
timeout 60 radosgw-admin -c ceph.conf -n client.rgw user create --uid=tests --display-name=Tests \
  --access-key=${accessKey} --secret-key=${secretKey}
keep radosgw -c ceph.conf -n client.rgw -f
`;
}

async function startLocal(): Promise<ServerOrSkip<S3Server>> {
  const absent = PROGRAMS.filter((program) => findProgram(program) === undefined);
  if (absent.length > 0) return skipWithReason(NO_S3);
  const [port, monitor] = [await pickFreePort(), await pickFreePort()];
  const keys = { accessKey: `AK${randomUUID().slice(0, 8)}`, secretKey: `SK${randomUUID().replaceAll('-', '')}` };
  const endpoint = `http://127.0.0.1:${port}`;
  const { stop } = await startGuardedServer({
    name: 's3',
    // Everything is in memory, and is not read again.
    signal: 'KILL',
    script: (folder) => formatScript(folder, { port, monitor, ...keys }),
    ready: async () => {
      const answer = await fetch(endpoint, { signal: AbortSignal.timeout(2000) });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`the gateway answers ${answer.status}`);
    },
    patienceMs: 90_000,
  });
  const server = { endpoint, ...keys, stop };
  await warmUp(server);
  return server;
}

/** The gateway creates its pools at their first use, which takes seconds: no test should wait for that. */
async function warmUp(server: S3Server): Promise<void> {
  const client = createS3Client(server);
  const bucket = 'warm';
  await client.makeBucket(bucket, 'us-east-1');
  await Promise.all([
    client.putObject(bucket, 'whole', Buffer.from('x')),
    client
      .initiateNewMultipartUpload(bucket, 'parts', {})
      .then((id) => client.abortMultipartUpload(bucket, 'parts', id)),
  ]);
}

function readGivenServer(): S3Server | undefined {
  const { TEST_S3_ENDPOINT: endpoint, TEST_S3_ACCESS_KEY, TEST_S3_SECRET_KEY } = process.env;
  if (!endpoint) return undefined;
  return {
    endpoint,
    accessKey: TEST_S3_ACCESS_KEY ?? '',
    secretKey: TEST_S3_SECRET_KEY ?? '',
    stop: async () => {},
  };
}

const buckets: string[] = [];

/** The server of this run. Begin with it early: `void startS3()` at the top of a suite costs nothing. */
export function startS3(): Promise<ServerOrSkip<S3Server>> {
  const server = shareServer('s3', async () => readGivenServer() ?? startLocal());
  server.catch(() => {});
  return server;
}

/** A client of the tests themselves, past the driver that is tested. */
export function createS3Client({ endpoint, accessKey, secretKey }: Omit<S3Server, 'stop'>): Client {
  const { protocol, hostname, port } = new URL(endpoint);
  const useSSL = protocol === 'https:';
  return new Client({
    endPoint: hostname,
    port: port === '' ? (useSSL ? 443 : 80) : Number(port),
    useSSL,
    accessKey,
    secretKey,
    region: 'us-east-1',
    pathStyle: true,
  });
}

/** A new, empty bucket; removed at the end of the run. Throws without a server (call `startS3` first). */
export async function createBucket(): Promise<string> {
  const found = await startS3();
  if ('skip' in found) throw new Error(found.skip);
  const name = `lintel-test-${randomUUID()}`;
  await createS3Client(found).makeBucket(name, 'us-east-1');
  buckets.push(name);
  return name;
}

/** Names of all objects of a bucket. */
export async function listBucketObjects(client: Client, bucket: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of client.listObjectsV2(bucket, '', true)) {
    names.push((entry as { readonly name: string }).name);
  }
  return names.sort();
}

/** Names of uploads in parts that were begun and neither completed nor aborted. */
export async function listOpenUploads(client: Client, bucket: string): Promise<string[]> {
  // Without listing the parts of each: one that ends meanwhile has none.
  const { uploads } = await client.listIncompleteUploadsQuery(bucket, '', '', '', '');
  return uploads.map(({ key }) => key);
}

/** Removes the buckets of this run where the server stays, and stops a server that this run started. */
export async function stopS3(): Promise<void> {
  const [server, names] = [readGivenServer(), buckets.splice(0)];
  if (server !== undefined) {
    const client = createS3Client(server);
    for (const name of names) {
      await client.removeObjects(name, await listBucketObjects(client, name));
      for (const part of await listOpenUploads(client, name)) await client.removeIncompleteUpload(name, part);
      await client.removeBucket(name);
    }
  }
  await stopSharedServer('s3');
}

runAtEnd(stopS3);
