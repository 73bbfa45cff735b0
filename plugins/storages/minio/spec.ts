/** Spec of the storage `minio`: a bucket of any S3 server. */
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { flag, numeric, shape, value } from '../../../contract/combinators.js';
import { storageErrors } from '../kind.js';

const ADDRESS = /^https?:\/\/[^\s/?#@]+\/?$/;
const example = {
  use: 'minio',
  endpoint: 'https://s3.eu-central-1.amazonaws.com',
  region: 'eu-central-1',
  bucket: 'wallet-files',
  access_key: '$ENV.S3_ACCESS_KEY',
  secret_key: '$ENV.S3_SECRET_KEY',
};

export default definePlugin({
  kind: 'storage',
  name: 'minio',
  since: '0.3.0',
  packages: ['minio'],
  summary: 'Stores files in a bucket of an S3 server (MinIO, AWS, Ceph and others), with the client `minio`.',
  details: [
    'The start fails if the server cannot be reached, rejects the keys or does not have the bucket. The keys need the',
    'permissions `s3:ListBucket`, `s3:GetObject`, `s3:PutObject`, `s3:DeleteObject`, `s3:AbortMultipartUpload` and',
    '`s3:ListBucketMultipartUploads`.',
    '',
    'Files are streamed from the disk to the server, those above 8 MiB in parts. If that fails, remaining parts and',
    'objects are removed, with retries until the server responds. A process that is killed in between leaves its',
    'parts: set a lifecycle rule of the bucket that aborts incomplete uploads after a day.',
    '',
    'URLs are signed and expire after 7 days at most: that is a limit of the protocol. For permanent URLs, make the',
    'upload folders public by a policy of the bucket, and set `url` to their address. Files of an upload with',
    '`expiration` are stored below `.signed/`, which no policy should make public; the others have their storage key',
    'as their name.',
  ].join('\n'),
  facts: { shared: true },
  schema: shape({
    endpoint: value(string().required().matches(ADDRESS), {
      doc: 'Address of the server: scheme, host and port, without the bucket.',
      examples: ['https://s3.eu-central-1.amazonaws.com', 'http://127.0.0.1:9000', '$ENV.S3_ENDPOINT'],
      roots: ['ENV'],
    }).required(),
    access_key: value(string().required(), {
      doc: 'Id of the access key.',
      examples: ['$ENV.S3_ACCESS_KEY'],
      roots: ['ENV'],
    }).required(),
    secret_key: value(string().required(), {
      doc: 'Secret of the access key. Keep it in the environment.',
      examples: ['$ENV.S3_SECRET_KEY'],
      roots: ['ENV'],
      secret: true,
    }).required(),
    bucket: value(
      string()
        .required()
        .matches(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
      { doc: 'The bucket for the files.', examples: ['wallet-files', '$ENV.S3_BUCKET'], roots: ['ENV'] },
    ).required(),
    region: value(string().required(), {
      doc: 'Region of the bucket, as its server names it.',
      default: 'us-east-1',
      examples: ['eu-central-1'],
      roots: ['ENV'],
    }),
    path_style: flag({
      doc: 'The bucket is part of the path of a URL; `false`: it is part of the host name.',
      default: true,
    }),
    url: value(
      string()
        .required()
        .matches(/^https?:\/\/[^\s?#@]+$/),
      {
        doc: 'Base URL of the files, if the bucket is public. Without it, URLs are signed.',
        examples: ['https://files.example.org'],
        roots: ['ENV'],
      },
    ),
    public_endpoint: value(string().required().matches(ADDRESS), {
      doc: 'Address of the server for clients, used in signed URLs. Default: `endpoint`.',
      examples: ['https://s3.example.org'],
      roots: ['ENV'],
    }),
    create_bucket: flag({ doc: 'Creates the bucket at the start if it does not exist.', default: false }),
    connect_timeout: numeric({ doc: 'Time to establish a connection.', unit: 'seconds', default: 3 })
      .min(0.001)
      .max(60),
    idle_timeout: numeric({
      doc: 'Maximum pause of the server before a transfer is aborted.',
      unit: 'seconds',
      default: 10,
    })
      .min(0.001)
      .max(600),
  }),
  openapi: () => ({ refuses: ['STO_AWAY', 'STO_REFUSED'] }),
  errors: {
    ...storageErrors,
    STO_REFUSED: {
      status: 500,
      title: 'Storage error',
      message: 'The file could not be stored or removed.',
      help: 'The server rejected it for a reason that the client cannot fix, such as a missing permission or bucket. The log has the reason.',
    },
    STO_OPEN: {
      status: 503,
      title: 'No storage',
      message: 'Files cannot be stored in {place}: {reason}.',
      help: 'The storage of the config file could not be opened at the start.',
    },
  },
  invented: [{ pattern: 's3|aws|aws-s3|ceph|r2', say: '`"use": "minio"`, the storage for every S3 server' }],
  examples: [
    { title: 'A bucket of AWS', json: example },
    {
      title: 'Your own server, with a public bucket',
      json: {
        ...example,
        endpoint: 'http://127.0.0.1:9000',
        region: 'us-east-1',
        create_bucket: true,
        url: 'https://files.example.org',
      },
    },
  ],
  counterExamples: [
    {
      title: 'The bucket in the endpoint',
      json: { ...example, endpoint: 'https://s3.eu-central-1.amazonaws.com/wallet-files' },
      code: 'DEF_FORMAT',
      at: '/endpoint',
    },
    {
      title: 'No access key',
      json: { use: 'minio', endpoint: example.endpoint, bucket: example.bucket, access_key: example.access_key },
      code: 'DEF_REQUIRED',
      at: '',
    },
    {
      title: 'A bucket in upper case',
      json: { ...example, bucket: 'Wallet_Files' },
      code: 'DEF_FORMAT',
      at: '/bucket',
    },
  ],
});
