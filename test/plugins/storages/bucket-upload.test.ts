/** Uploads to a bucket with a client that records its calls: what is sent, sent again, and left for the sweep after a failure. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { S3Error } from 'minio';
import type { Leftover } from '../../../plugins/storages/minio/sweep.js';
import { clear, retryOnConnectionCut, put, type Bucket } from '../../../plugins/storages/minio/upload.js';

const MIB = 1024 * 1024;
const ofServer = (code: string): Error => Object.assign(new S3Error('x'), { code });
const ofNetwork = (code: string): Error => Object.assign(new Error('x'), { code });
const CUT = ofNetwork('ECONNRESET');

interface SentRequest {
  readonly method: string;
  readonly bucketName: string;
  readonly objectName: string;
  readonly query?: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface ReceivedUpload extends SentRequest {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly isStream: boolean;
}

/** `answers`: errors of requests that send bytes, in order; `fails`: the same for other calls, by name. */
function bucketWith(
  answers: (Error | null)[] = [],
  fails: Readonly<Record<string, (Error | null)[]>> = {},
  tls = false,
) {
  const asked: ReceivedUpload[] = [];
  const calls: string[] = [];
  const left: Leftover[] = [];
  const uploads: (string | undefined)[] = [];
  const done = (name: string, ...more: readonly unknown[]): Promise<void> => {
    calls.push([name, ...more.map((one) => JSON.stringify(one))].join(' '));
    const error = fails[name]?.shift() ?? null;
    return error === null ? Promise.resolve() : Promise.reject(error);
  };
  const client = {
    enableSHA256: !tls,
    async makeRequestStreamAsync(
      sent: SentRequest,
      body: Buffer | AsyncIterable<Buffer>,
      sha256: string,
      codes: number[],
    ) {
      expect(codes).to.deep.equal([200]);
      const chunks: Buffer[] = [];
      if (Buffer.isBuffer(body)) chunks.push(body);
      else for await (const chunk of body) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      asked.push({ ...sent, bytes, sha256, isStream: !Buffer.isBuffer(body) });
      const error = answers.shift() ?? null;
      if (error !== null) throw error;
      return { resume: () => undefined, headers: { etag: `"tag-${asked.length}"` } };
    },
    statObject: (_: string, key: string) => done('stat', key),
    initiateNewMultipartUpload: (_: string, key: string, headers: object) =>
      done('initiate', key, headers).then(() => 'id+1'),
    completeMultipartUpload: (_: string, key: string, id: string, etags: object) => done('complete', key, id, etags),
    findUploadId: (_: string, key: string) => done('find', key).then(() => uploads.shift()),
    abortMultipartUpload: (_: string, key: string, id: string) => done('abort', key, id),
    removeObject: (_: string, key: string) => done('remove', key),
  };
  const bucket: Bucket = {
    client: client as unknown as Bucket['client'],
    name: 'files',
    closeIdleSockets: () => void calls.push('renew'),
    addLeftover: (leftover) => void left.push(leftover),
    isUnconditional: false,
  };
  return { bucket, asked, calls, left, uploads };
}

const catchFailure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => (error as { code?: unknown }).code ?? (error as Error).name,
  );

describe('upload of a file to a bucket', () => {
  let folder = '';
  let path = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lintel-test-'));
    path = join(folder, 'sent');
  });
  after(() => rm(folder, { recursive: true }));
  const createFile = async (content: string | number, type = 'text/plain') => {
    await writeFile(path, typeof content === 'string' ? content : '');
    if (typeof content === 'number') await truncate(path, content);
    return { path, size: typeof content === 'string' ? content.length : content, type };
  };

  it('sends it whole, with its type, its checksum, and only if the key is free', async () => {
    for (const tls of [false, true]) {
      const { bucket, asked, calls, left } = bucketWith([], {}, tls);
      await put(bucket, 'a/b.txt', await createFile('content'));
      const hash = createHash(tls ? 'md5' : 'sha256').update('content');
      expect(asked).to.deep.equal([
        {
          method: 'PUT',
          bucketName: 'files',
          objectName: 'a/b.txt',
          headers: {
            'content-type': 'text/plain; charset=utf-8',
            'content-disposition': 'attachment',
            'if-none-match': '*',
            'content-length': '7',
            ...(tls && { 'content-md5': hash.digest('base64') }),
          },
          bytes: Buffer.from('content'),
          sha256: tls ? '' : hash.digest('hex'),
          isStream: false,
        },
      ]);
      expect([calls, left]).to.deep.equal([[], []]);
    }
  });

  it('holds it in memory up to 256 KiB', async () => {
    for (const [size, isStream] of [
      [256 * 1024, false],
      [256 * 1024 + 1, true],
    ] as const) {
      const { bucket, asked } = bucketWith();
      await put(bucket, 'a', await createFile(size));
      const bytes = Buffer.alloc(size);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      expect([asked[0]?.isStream, asked[0]?.sha256, asked[0]?.bytes.equals(bytes)]).to.deep.equal([
        isStream,
        sha256,
        true,
      ]);
    }
  });

  it('rejects it if it became shorter, and sends nothing', async () => {
    const { bucket, asked, left } = bucketWith();
    expect(await catchFailure(put(bucket, 'a', { ...(await createFile('content')), size: 8 }))).to.equal('RangeError');
    expect([asked.length, left.length]).to.deep.equal([0, 1]);
  });

  it('retries over a new connection if one was cut, and succeeds if the first attempt stored it', async () => {
    for (const [answers, expected] of [
      [[CUT], null],
      [[CUT, ofServer('PreconditionFailed')], null],
      [[CUT, CUT], 'ECONNRESET'],
      [[CUT, ofServer('AccessDenied')], 'AccessDenied'],
    ] as const) {
      const { bucket, asked, calls } = bucketWith([...answers]);
      expect(await catchFailure(put(bucket, 'a', await createFile('content')))).to.equal(expected);
      expect([asked.length, calls]).to.deep.equal([2, ['renew']]);
      expect(asked[1]).to.deep.equal(asked[0]);
    }
  });

  for (const [error, code, isLeft] of [
    [ofServer('PreconditionFailed'), 'STO_REFUSED', false],
    [ofServer('ConditionalRequestConflict'), 'STO_REFUSED', false],
    [ofServer('AccessDenied'), 'AccessDenied', false],
    [ofServer('SlowDown'), 'SlowDown', true],
    [ofNetwork('ETIMEDOUT'), 'ETIMEDOUT', true],
  ] as const)
    it(`with ${code} ${isLeft ? 'may have stored the file' : 'leaves nothing'}`, async () => {
      const { bucket, asked, left } = bucketWith([error]);
      expect(await catchFailure(put(bucket, 'a', await createFile('content')))).to.equal(code);
      expect([asked.length, left]).to.deep.equal([1, isLeft ? [{ key: 'a', parts: null }] : []]);
    });

  it('is unconditional if the server does not support conditions, which is detected once, after a lookup of the key', async () => {
    const { bucket, asked, left } = bucketWith([ofServer('NotImplemented'), null, null, ofServer('NotImplemented')], {
      stat: [ofServer('NotFound'), ofServer('NotFound'), ofServer('NotFound'), null],
    });
    const file = await createFile('content');
    await put(bucket, 'a', file);
    await put(bucket, 'b', file);
    expect(asked.map(({ objectName, headers }) => [objectName, headers['if-none-match'] ?? null])).to.deep.equal([
      ['a', '*'],
      ['a', null],
      ['b', null],
    ]);
    expect(asked[1]?.headers['content-type']).to.equal('text/plain; charset=utf-8');
    expect(await catchFailure(put(bucket, 'c', file))).to.equal('NotImplemented');
    expect(await catchFailure(put(bucket, 'taken', file))).to.equal('STO_REFUSED');
    expect(asked.some(({ objectName }) => objectName === 'taken')).to.equal(false);
    expect(left).to.deep.equal([]);
  });

  it('uses parts of 8 MiB for a larger file', async () => {
    const { bucket, asked, calls, left } = bucketWith([], { stat: [ofServer('NotFound')] });
    await put(bucket, 'a.bin', await createFile(8 * MIB, 'image/png'));
    expect([asked.map(({ query }) => query), calls]).to.deep.equal([[undefined], []]);
    await put(bucket, 'a.bin', await createFile(8 * MIB + 1, 'image/png'));
    expect(asked.slice(1).map(({ query, bytes }) => [query, bytes.length])).to.deep.equal([
      ['partNumber=1&uploadId=id%2B1', 8 * MIB],
      ['partNumber=2&uploadId=id%2B1', 1],
    ]);
    expect(asked[2]?.headers).to.deep.equal({ 'content-length': '1' });
    expect(calls).to.deep.equal([
      'stat "a.bin"',
      'initiate "a.bin" {"content-type":"image/png","content-disposition":"inline"}',
      'complete "a.bin" "id+1" [{"part":1,"etag":"tag-2"},{"part":2,"etag":"tag-3"}]',
    ]);
    expect(left).to.deep.equal([]);
  });

  it('uses ten thousand parts at most, which are larger then', async () => {
    const { bucket, asked } = bucketWith([ofServer('AccessDenied')], { stat: [ofServer('NotFound')] });
    const file = await createFile(9 * MIB);
    expect(await catchFailure(put(bucket, 'a', { ...file, size: 10_000 * 9 * MIB }))).to.equal('AccessDenied');
    expect(asked.map(({ bytes }) => bytes.length)).to.deep.equal([9 * MIB]);
  });

  for (const [title, fails, answers, code, id] of [
    ['when the key exists', { stat: [null] }, [], 'STO_REFUSED', undefined],
    ['when the key cannot be looked up', { stat: [ofServer('AccessDenied')] }, [], 'AccessDenied', undefined],
    ['when the upload does not begin', { stat: [ofServer('NotFound')], initiate: [CUT] }, [], 'ECONNRESET', null],
    ['when a part is rejected', { stat: [ofServer('NoSuchKey')] }, [ofServer('SlowDown')], 'SlowDown', 'id+1'],
    ['when it is not completed', { stat: [CUT, ofServer('NotFound')], complete: [CUT] }, [], 'ECONNRESET', 'id+1'],
  ] as const)
    it(`in parts fails ${title}, and removes its parts`, async () => {
      const copy = Object.fromEntries(
        Object.entries<readonly (Error | null)[]>(fails).map(([k, all]) => [k, [...all]]),
      );
      const { bucket, left } = bucketWith([...answers], copy);
      expect(await catchFailure(put(bucket, 'a', { ...(await createFile(8 * MIB + 1)), size: 8 * MIB + 1 }))).to.equal(
        code,
      );
      expect(left).to.deep.equal(id === undefined ? [] : [{ key: 'a', parts: { id } }]);
    });
});

describe('remains of a failed upload in a bucket', () => {
  for (const [title, parts, uploads, calls] of [
    ['an object', null, [], ['remove "a"']],
    ['parts of a known upload', { id: '7' }, [undefined], ['abort "a" "7"', 'find "a"', 'remove "a"']],
    ['parts of an unknown upload', { id: null }, ['8'], ['find "a"', 'abort "a" "8"', 'find "a"', 'remove "a"']],
    ['no more parts', { id: null }, [undefined], ['find "a"', 'remove "a"']],
  ] as const)
    it(`${title}: are removed`, async () => {
      const made = bucketWith();
      made.uploads.push(...uploads);
      await clear(made.bucket, { key: 'a', parts });
      expect(made.calls).to.deep.equal(calls);
    });

  it('are removed when their upload is gone, and not when that is rejected', async () => {
    const gone = bucketWith([], { abort: [ofServer('NoSuchUpload')] });
    await clear(gone.bucket, { key: 'a', parts: { id: '7' } });
    expect(gone.calls.at(-1)).to.equal('remove "a"');
    const rejected = bucketWith([], { abort: [ofServer('AccessDenied')] });
    expect(await catchFailure(clear(rejected.bucket, { key: 'a', parts: { id: '7' } }))).to.equal('AccessDenied');
    expect(rejected.calls).to.deep.equal(['abort "a" "7"']);
  });
});

describe('request over a connection that is cut', () => {
  it('is repeated once, and only then', async () => {
    const { bucket, calls } = bucketWith();
    const attempts: boolean[] = [];
    const retryWithErrors = (...errors: readonly Error[]) => {
      const left = [...errors];
      return retryOnConnectionCut(bucket, (isAgain) => {
        attempts.push(isAgain);
        const error = left.shift();
        return error === undefined ? Promise.resolve('done') : Promise.reject(error);
      });
    };
    expect(await retryWithErrors()).to.equal('done');
    expect(await retryWithErrors(CUT)).to.equal('done');
    expect(await catchFailure(retryWithErrors(ofServer('SlowDown')))).to.equal('SlowDown');
    expect(attempts).to.deep.equal([false, false, true, false]);
    expect(calls).to.deep.equal(['renew']);
  });
});
