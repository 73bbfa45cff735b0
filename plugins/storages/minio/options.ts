/** Validates the options of a bucket again, because `$ENV` values are known only now. */
import { createFault } from '../../../contract/fault.js';

export interface Address {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

export interface Options {
  readonly endpoint: Address;
  /** The host of signed URLs. */
  readonly publicEndpoint: Address;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly bucket: string;
  readonly region: string;
  readonly pathStyle: boolean;
  /** Ends with a slash. */
  readonly url: string | null;
  readonly createBucket: boolean;
  /** Milliseconds. */
  readonly connectTimeout: number;
  readonly idleTimeout: number;
}

type RawBucketOptions = Readonly<Record<string, unknown>>;

const failOpen = (reason: string): never => {
  throw createFault('STO_OPEN', { place: 'the bucket', reason });
};

function readText(given: RawBucketOptions, name: string, fallback?: string): string {
  const found = given[name] ?? fallback;
  return typeof found === 'string' && found.trim() !== '' ? found : failOpen(`\`${name}\` is missing or empty`);
}

function readAddress(given: RawBucketOptions, name: string): Address {
  const text = readText(given, name);
  const url = URL.canParse(text) ? new URL(text) : failOpen(`\`${name}\` is no address`);
  const isTls = url.protocol === 'https:';
  if (!isTls && url.protocol !== 'http:') failOpen(`\`${name}\` begins with neither http:// nor https://`);
  if (url.username !== '' || url.password !== '') failOpen(`keys do not stand in \`${name}\``);
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    failOpen(`\`${name}\` has more than a host and a port`);
  return { host: url.hostname, port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port), isTls };
}

const toMilliseconds = (found: unknown, fallback: number): number =>
  Math.round((typeof found === 'number' ? found : fallback) * 1000);

/** Throws the Fault STO_OPEN, without option values in its text. */
export function readOptions(given: RawBucketOptions): Options {
  const endpoint = readAddress(given, 'endpoint');
  const url = given['url'] === undefined ? null : readText(given, 'url');
  return {
    endpoint,
    publicEndpoint: given['public_endpoint'] === undefined ? endpoint : readAddress(given, 'public_endpoint'),
    accessKey: readText(given, 'access_key'),
    secretKey: readText(given, 'secret_key'),
    bucket: readText(given, 'bucket'),
    region: readText(given, 'region', 'us-east-1'),
    pathStyle: given['path_style'] !== false,
    url: url === null || url.endsWith('/') ? url : `${url}/`,
    createBucket: given['create_bucket'] === true,
    connectTimeout: toMilliseconds(given['connect_timeout'], 3),
    idleTimeout: toMilliseconds(given['idle_timeout'], 10),
  };
}
