/**
 * The documentation page about storage: every config on it is checked, the one for your own server is opened, and its
 * policy opens one folder to everyone and nothing else.
 */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyseConfig } from '../../language/analysis/config.js';
import { isObject, type JsonObject } from '../../contract/json.js';
import { createEnvFacts } from '../../language/project/environment.js';
import { createFileMaker } from '../contracts/storage.contract.js';
import { createBuiltinRegistry } from '../support/fixtures.js';
import { ROOT } from '../support/project.js';
import { createS3Client } from '../support/s3.js';
import { openMinio, createS3Subject, type S3Subject } from '../support/s3-storage.js';
import { skipTest } from '../support/skip.js';

const PAGE = readFileSync(join(ROOT, 'docs', 'storage.md'), 'utf8');
const shown = [...PAGE.matchAll(/^```json\n([^]*?)^```/gm)].map(([, text = '']) => JSON.parse(text) as JsonObject);
const configs = shown.filter((json) => 'storage' in json);
const ENV = createEnvFacts({ S3_ACCESS_KEY: 'name', S3_SECRET_KEY: 'canary-secret-Zk81jq' });

describe('documentation page about storage', function () {
  let s3!: S3Subject;
  let files!: Awaited<ReturnType<typeof createFileMaker>>;
  before(async function () {
    const found = await createS3Subject();
    if ('skip' in found) return skipTest(this, found.skip);
    s3 = found;
    files = await createFileMaker();
  });
  after(async () => {
    await s3?.close();
    await files?.dispose();
  });

  it('shows only valid configs', () => {
    expect(configs).to.have.length(5);
    for (const config of configs) {
      const { problems } = analyseConfig('lintel.config.json', JSON.stringify(config), createBuiltinRegistry(), ENV);
      expect(problems.map(({ message }) => message)).to.deep.equal([]);
    }
  });

  it('shows a config that opens an S3 server, with the URL and the keys of the test server', async () => {
    const config = configs.find(({ storage }) => isObject(storage) && storage['create_bucket'] === true);
    const { endpoint, accessKey, secretKey } = s3.server;
    const { storage } = await openMinio({
      ...(config?.['storage'] as JsonObject),
      endpoint,
      access_key: accessKey,
      secret_key: secretKey,
      bucket: s3.bucket,
    });
    await storage.put('docs/a.bin', await files.make(Buffer.from('as written')));
    expect(await (await fetch(await storage.url('docs/a.bin', 60))).text()).to.equal('as written');
  });

  it('shows a policy that makes one folder public, and not files that need a signed URL', async () => {
    const policy = shown.find((json) => 'Statement' in json);
    const direct = createS3Client(s3.server);
    await direct.setBucketPolicy(s3.bucket, JSON.stringify(policy).replaceAll('wallet-files', s3.bucket));
    const base = `${s3.server.endpoint}/${s3.bucket}`;
    const { storage } = await openMinio({
      endpoint: s3.server.endpoint,
      access_key: s3.server.accessKey,
      secret_key: s3.server.secretKey,
      bucket: s3.bucket,
      url: base,
    });
    const { signed: _signed, ...plain } = await files.make(Buffer.from('for all'));
    await storage.put('gallery/a.bin', plain);
    await storage.put('other/a.bin', plain);
    await storage.put('gallery/b.bin', { ...plain, signed: true });
    const fetchStatus = async (url: string): Promise<number> => (await fetch(url)).status;
    expect(await storage.url('gallery/a.bin', null)).to.equal(`${base}/gallery/a.bin`);
    expect(await fetchStatus(`${base}/gallery/a.bin`)).to.equal(200);
    for (const closed of ['other/a.bin', 'gallery/b.bin', '.signed/gallery/b.bin']) {
      expect(await fetchStatus(`${base}/${closed}`), closed).to.be.oneOf([403, 404]);
    }
    expect(await fetchStatus(await storage.url('gallery/b.bin', 60))).to.equal(200);
  });
});
