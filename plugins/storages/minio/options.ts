/** Parses the options of a bucket, and validates them again, because `$ENV` values are known only now. */
import { fault } from '../../../contract/fault.js';

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

type Given = Readonly<Record<string, unknown>>;

const wrong = (reason: string): never => {
  throw fault('STO_OPEN', { place: 'the bucket', reason });
};

function textOf(given: Given, name: string, fallback?: string): string {
  const found = given[name] ?? fallback;
  return typeof found === 'string' && found.trim() !== '' ? found : wrong(`\`${name}\` is missing or empty`);
}

function addressOf(given: Given, name: string): Address {
  const text = textOf(given, name);
  const url = URL.canParse(text) ? new URL(text) : wrong(`\`${name}\` is no address`);
  const isTls = url.protocol === 'https:';
  if (!isTls && url.protocol !== 'http:') wrong(`\`${name}\` begins with neither http:// nor https://`);
  if (url.username !== '' || url.password !== '') wrong(`keys do not stand in \`${name}\``);
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    wrong(`\`${name}\` has more than a host and a port`);
  return { host: url.hostname, port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port), isTls };
}

const milliseconds = (found: unknown, fallback: number): number =>
  Math.round((typeof found === 'number' ? found : fallback) * 1000);

/** Throws the Fault STO_OPEN, without option values in its text. */
export function readOptions(given: Given): Options {
  const endpoint = addressOf(given, 'endpoint');
  const url = given['url'] === undefined ? null : textOf(given, 'url');
  return {
    endpoint,
    publicEndpoint: given['public_endpoint'] === undefined ? endpoint : addressOf(given, 'public_endpoint'),
    accessKey: textOf(given, 'access_key'),
    secretKey: textOf(given, 'secret_key'),
    bucket: textOf(given, 'bucket'),
    region: textOf(given, 'region', 'us-east-1'),
    pathStyle: given['path_style'] !== false,
    url: url === null || url.endsWith('/') ? url : `${url}/`,
    createBucket: given['create_bucket'] === true,
    connectTimeout: milliseconds(given['connect_timeout'], 3),
    idleTimeout: milliseconds(given['idle_timeout'], 10),
  };
}
