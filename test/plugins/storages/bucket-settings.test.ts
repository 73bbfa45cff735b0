/** Resolved settings of a bucket, expiring URLs, and reported server failures. */
import { expect } from 'chai';
import { S3Error } from 'minio';
import { createFault } from '../../../contract/fault.js';
import { createSignedQuery, getSecondsLeft } from '../../../plugins/storages/local-disk/signature.js';
import {
  getStorageErrorCode,
  isAbsent,
  isConnectionCut,
  isOutcomeUnknown,
  isAlreadyStored,
  hasErrorCode,
  toOpenFault,
  toStorageFault,
} from '../../../plugins/storages/minio/errors.js';
import { readOptions } from '../../../plugins/storages/minio/options.js';
import { catchThrownFault } from '../../support/frame-tools.js';

const GIVEN = { endpoint: 'http://a.example:9000', access_key: 'a', secret_key: 's', bucket: 'b' };
const options = (rest: object = {}): ReturnType<typeof readOptions> => readOptions({ ...GIVEN, ...rest });

describe('bucket settings', () => {
  it('have the defaults of the reference', () => {
    const endpoint = { host: 'a.example', port: 9000, isTls: false };
    expect(options()).to.deep.equal({
      endpoint,
      publicEndpoint: endpoint,
      accessKey: 'a',
      secretKey: 's',
      bucket: 'b',
      region: 'us-east-1',
      pathStyle: true,
      url: null,
      createBucket: false,
      connectTimeout: 3000,
      idleTimeout: 10_000,
    });
  });

  it('override the defaults', () => {
    expect(options({ endpoint: 'https://a.example' }).endpoint).to.deep.equal({
      host: 'a.example',
      port: 443,
      isTls: true,
    });
    expect(options({ endpoint: 'http://a.example/' }).endpoint.port).to.equal(80);
    expect(options({ endpoint: 'https://a.example:80' }).endpoint.port).to.equal(80);
    expect(options({ public_endpoint: 'https://p.example' }).publicEndpoint.host).to.equal('p.example');
    expect(options({ path_style: false, create_bucket: true, region: 'r' })).to.deep.include({
      pathStyle: false,
      createBucket: true,
      region: 'r',
    });
    expect(options({ connect_timeout: 0.0015, idle_timeout: 1 })).to.deep.include({
      connectTimeout: 2,
      idleTimeout: 1000,
    });
    for (const url of ['https://c.example/x', 'https://c.example/x/'])
      expect(options({ url }).url).to.equal('https://c.example/x/');
  });

  const rejected: readonly (readonly [name: string, value: unknown, reason: string])[] = [
    ...['access_key', 'secret_key', 'bucket', 'endpoint'].flatMap((name) =>
      [undefined, '', ' ', 7].map((value) => [name, value, `\`${name}\` is missing or empty`] as const),
    ),
    ['region', '', '`region` is missing or empty'],
    ['url', ' ', '`url` is missing or empty'],
    ['public_endpoint', 'x', '`public_endpoint` is no address'],
    ['endpoint', 'ftp://a', '`endpoint` begins with neither http:// nor https://'],
    ['endpoint', 'http://u@a', 'keys do not stand in `endpoint`'],
    ['endpoint', 'http://:p@a', 'keys do not stand in `endpoint`'],
    ['endpoint', 'http://a/x', '`endpoint` has more than a host and a port'],
    ['endpoint', 'http://a?x', '`endpoint` has more than a host and a port'],
    ['endpoint', 'http://a#x', '`endpoint` has more than a host and a port'],
  ];
  for (const [name, value, reason] of rejected)
    it(`are rejected with ${name} as ${JSON.stringify(value)}`, () => {
      const { code, params } = catchThrownFault(() => options({ [name]: value }));
      expect([code, params['reason']]).to.deep.equal(['STO_OPEN', reason]);
    });
});

describe('bucket failure', () => {
  const ofServer = (code: string, message = 'secret'): Error => Object.assign(new S3Error(message), { code });
  const ofNetwork = (code: string, rest: object = {}): Error => Object.assign(new Error('secret'), { code, ...rest });
  /** Code, whether it passes, and the cause that is logged. */
  const summarizeFault = (error: unknown): readonly unknown[] => {
    const { code, options: rest } = toStorageFault(error, 'put');
    return [code, rest.retryable === true, (rest.cause as Error | undefined)?.message];
  };

  it('is temporary if a server is busy, starting, or full for a while', () => {
    for (const code of [
      'SlowDown',
      'ServiceUnavailable',
      'InternalError',
      'RequestTimeout',
      'Throttling',
      'ThrottledException',
      'TooManyRequests',
      'OperationAborted',
      'QuotaExceeded',
      'InsufficientStorage',
      'XMinioStorageFull',
      'XMinioServerNotInitialized',
      'XMinioBucketHardQuota',
    ]) {
      expect(summarizeFault(ofServer(code)), code).to.deep.equal(['STO_AWAY', true, `put: ${code}`]);
      expect(isOutcomeUnknown(ofServer(code)), code).to.equal(true);
    }
    expect(toStorageFault(ofServer('SlowDown'), 'put').options.headers).to.deep.equal({ 'retry-after': '1' });
  });

  it('is permanent if a server rejects, or the fault is ours', () => {
    for (const code of ['AccessDenied', 'NoSuchBucket', 'xSlowDown', 'SlowDownx', 'InvalidAccessKeyId']) {
      expect(summarizeFault(ofServer(code)), code).to.deep.equal(['STO_REFUSED', false, `put: ${code}`]);
      expect(isOutcomeUnknown(ofServer(code)), code).to.equal(false);
    }
    for (const error of [new TypeError('x'), new RangeError('x')])
      expect(summarizeFault(error)[0]).to.equal('STO_REFUSED');
    for (const syscall of ['open', 'read'])
      expect(summarizeFault(ofNetwork('ENOENT', { syscall }))[0]).to.equal('STO_REFUSED');
  });

  it('is temporary if the network fails', () => {
    for (const code of ['ECONNREFUSED', 'ETIMEDOUT', 'EPIPE']) {
      expect(summarizeFault(ofNetwork(code))).to.deep.equal(['STO_AWAY', true, `put: ${code}`]);
      expect(isOutcomeUnknown(ofNetwork(code))).to.equal(true);
    }
    expect(summarizeFault(ofNetwork('ECONNRESET', { syscall: 'read' }))[0]).to.equal('STO_AWAY');
    expect(summarizeFault(ofNetwork('ECONNREFUSED', { syscall: 'connect' }))[0]).to.equal('STO_AWAY');
    expect(summarizeFault('text')).to.deep.equal(['STO_AWAY', true, 'put: unknown']);
  });

  it('is reported with a code in a safe format, or the status, and nothing else of the client', () => {
    for (const code of ['', 'a b', 'a\nb', 'x'.repeat(65), 7])
      expect(getStorageErrorCode(ofNetwork(code as string))).to.equal('unknown');
    expect(getStorageErrorCode(ofNetwork('x'.repeat(64)))).to.equal('x'.repeat(64));
    expect(summarizeFault(ofServer('SlowDown', 'HTTP status: 507'))[2]).to.equal('put: the server answered 507');
    expect(summarizeFault(ofServer('SlowDown', 'HTTP status: 5071'))[2]).to.equal('put: SlowDown');
    const own = createFault('UPL_KEY');
    expect(toStorageFault(own, 'put')).to.equal(own);
  });

  it('is a lost connection by the code of the platform only', () => {
    for (const code of [
      'ECONNRESET',
      'EPIPE',
      'ECONNABORTED',
      'ERR_STREAM_PREMATURE_CLOSE',
      'ERR_STREAM_DESTROYED',
      'HPE_X',
    ])
      expect([isConnectionCut(ofNetwork(code)), isConnectionCut(ofServer(code))], code).to.deep.equal([true, false]);
    for (const code of ['ETIMEDOUT', 'xEPIPE', 'EPIPEx', 'HPE_'])
      expect(isConnectionCut(ofNetwork(code)), code).to.equal(false);
  });

  it('is an existing or a missing key by the code of the server only', () => {
    for (const code of ['PreconditionFailed', 'ConditionalRequestConflict'])
      expect([
        isAlreadyStored(ofServer(code)),
        isAlreadyStored(ofNetwork(code)),
        isAbsent(ofServer(code)),
      ]).to.deep.equal([true, false, false]);
    for (const code of ['NotFound', 'NoSuchKey', 'NoSuchUpload'])
      expect([isAbsent(ofServer(code)), isAbsent(ofNetwork(code)), isAlreadyStored(ofServer(code))]).to.deep.equal([
        true,
        false,
        false,
      ]);
    expect([isAlreadyStored(ofServer('xPreconditionFailed')), isAbsent(ofServer('NotFoundx'))]).to.deep.equal([
      false,
      false,
    ]);
    expect([
      hasErrorCode(ofServer('A'), 'A'),
      hasErrorCode(ofServer('A'), 'B'),
      hasErrorCode(ofNetwork('A'), 'A'),
    ]).to.deep.equal([true, false, false]);
  });

  it('at startup is temporary unless waiting fixes nothing', () => {
    const passes = (error: Error): unknown => toOpenFault(error, 'files').options.retryable;
    for (const error of [ofNetwork('ECONNREFUSED'), ofNetwork('ENOTFOUND'), ofServer('SlowDown')])
      expect(passes(error)).to.equal(true);
    for (const code of [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'CERT_HAS_EXPIRED',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'EPROTO',
      'ERR_TLS_X',
      'ERR_SSL_X',
      'HPE_INVALID',
    ])
      expect(passes(ofNetwork(code)), code).to.equal(false);
    for (const code of ['EPROTOx', 'XERR_TLS_A', 'XHPE_', 'XUNABLE_TO_'])
      expect(passes(ofNetwork(code)), code).to.equal(true);
    expect(passes(ofServer('AccessDenied'))).to.equal(false);
  });

  it('at startup reports the bucket, and a reason or the status', () => {
    const params = (error: Error): unknown => toOpenFault(error, 'files').params;
    const place = 'the bucket files';
    for (const [code, reason] of [
      ['AccessDenied', 'the keys are rejected, or lack the permission s3:ListBucket'],
      ['InvalidAccessKeyId', 'the access key is unknown'],
      ['SignatureDoesNotMatch', 'the secret key is wrong'],
      ['PermanentRedirect', 'the bucket is in another region'],
      ['MovedPermanently', 'the bucket is in another region'],
      ['AuthorizationHeaderMalformed', 'the bucket is in another region'],
      ['BucketAlreadyExists', 'a bucket of this name belongs to another account'],
      ['EPROTO', 'the server does not speak TLS there'],
    ] as const)
      expect(params(ofServer(code))).to.deep.equal({ place, reason });
    expect(params(new Error('HTTP status: 418'))).to.deep.equal({ place, reason: 'the server answers 418' });
    const own = createFault('STO_FOLDER');
    expect(toOpenFault(own, 'files')).to.equal(own);
  });
});

describe('expiring URL', () => {
  const secret = Buffer.alloc(32, 1);
  const query = createSignedQuery(secret, 'a/b.png', 1000);
  const computeSecondsLeft = (text: string, seconds: number, key = 'a/b.png', of = secret): number | null =>
    getSecondsLeft(of, key, text, seconds * 1000);

  it('is valid until its second, for its key only', () => {
    expect(computeSecondsLeft(query, 0)).to.equal(1000);
    expect(computeSecondsLeft(query, 999.999)).to.equal(1);
    expect(computeSecondsLeft(query, 1000)).to.equal(null);
    expect(computeSecondsLeft(query, 2000)).to.equal(null);
    expect(computeSecondsLeft(query, 0, 'a/c.png')).to.equal(null);
    expect(computeSecondsLeft(query, 0, 'a/b.png', Buffer.alloc(32, 2))).to.equal(null);
  });

  it('has one notation, and no other is accepted', () => {
    const signature = query.split('signature=')[1] ?? '';
    const last = signature.at(-1) ?? '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const alike = alphabet[alphabet.indexOf(last) ^ 1] ?? '';
    for (const text of [
      '',
      query.replace('1000', '1001'),
      query.replace('1000', '01000'),
      query.replace('1000', '1000.0'),
      `${query}&`,
      `${query}A`,
      `x${query}`,
      query.slice(0, -1),
      query.slice(0, -1) + alike,
      `signature=${signature}&expires=1000`,
      'expires=1000&signature=',
    ])
      expect(computeSecondsLeft(text, 0), text).to.equal(null);
    expect(computeSecondsLeft(createSignedQuery(secret, 'k', 999_999_999_999), 0, 'k')).to.equal(999_999_999_999);
    expect(computeSecondsLeft(createSignedQuery(secret, 'k', 1_000_000_000_000), 0, 'k')).to.equal(null);
    expect(computeSecondsLeft(createSignedQuery(secret, 'k', 0), -5, 'k')).to.equal(null);
  });
});
