/** Converts errors to Faults with fixed texts. Those of the client contain the access key. */
import { S3Error } from 'minio';
import { Fault, createFault } from '../../../contract/fault.js';
import { NETWORK_REASONS } from '../../shared/network-reasons.light.js';

/** Temporary server errors: too busy, starting, or full. */
const PASSING =
  /^(SlowDown|ServiceUnavailable|InternalError|RequestTimeout|Throttl\w*|TooManyRequests|OperationAborted|QuotaExceeded|InsufficientStorage|XMinio(StorageFull|ServerNotInitialized|Bucket\w*Quota\w*))$/;
/** The outcome is not known. */
const CUT = /^(ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM_PREMATURE_CLOSE|ERR_STREAM_DESTROYED|HPE_\w+)$/;

export const getStorageErrorCode = (error: unknown): string => {
  const code = error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : 'unknown';
};

export const isConnectionCut = (error: unknown): boolean =>
  !(error instanceof S3Error) && CUT.test(getStorageErrorCode(error));

/** An object of this key already exists. */
export const isAlreadyStored = (error: unknown): boolean =>
  error instanceof S3Error && /^(PreconditionFailed|ConditionalRequestConflict)$/.test(getStorageErrorCode(error));

export const isAbsent = (error: unknown): boolean =>
  error instanceof S3Error && /^(NotFound|NoSuchKey|NoSuchUpload)$/.test(getStorageErrorCode(error));

export const hasErrorCode = (error: unknown, code: string): boolean =>
  error instanceof S3Error && getStorageErrorCode(error) === code;

const isLocal = (error: unknown): boolean =>
  error instanceof Error &&
  ['open', 'read'].includes(String((error as { readonly syscall?: unknown }).syscall)) &&
  getStorageErrorCode(error) !== 'ECONNRESET';

function isTransient(error: unknown): boolean {
  if (error instanceof S3Error) return PASSING.test(getStorageErrorCode(error));
  return !(error instanceof TypeError || error instanceof RangeError || isLocal(error));
}

/** The server may have completed the operation. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  !(error instanceof S3Error) || PASSING.test(getStorageErrorCode(error));

const getErrorStatus = (error: unknown): string | undefined =>
  error instanceof Error ? /\bHTTP status: (\d{3})\b/.exec(error.message)?.[1] : undefined;

export function toStorageFault(error: unknown, what: string): Fault {
  if (error instanceof Fault) return error;
  const status = getErrorStatus(error);
  const cause = new Error(
    `${what}: ${status === undefined ? getStorageErrorCode(error) : `the server answered ${status}`}`,
  );
  if (!isTransient(error)) return createFault('STO_REFUSED', {}, { cause });
  return createFault('STO_AWAY', {}, { cause, retryable: true, headers: { 'retry-after': '1' } });
}

const REASONS: Readonly<Record<string, string>> = {
  ...NETWORK_REASONS,
  AccessDenied: 'the keys are rejected, or lack the permission s3:ListBucket',
  InvalidAccessKeyId: 'the access key is unknown',
  SignatureDoesNotMatch: 'the secret key is wrong',
  PermanentRedirect: 'the bucket is in another region',
  MovedPermanently: 'the bucket is in another region',
  AuthorizationHeaderMalformed: 'the bucket is in another region',
  BucketAlreadyExists: 'a bucket of this name belongs to another account',
  EPROTO: 'the server does not speak TLS there',
};

/** A retry cannot fix certificates, or another protocol at the address. */
const WRONG = /CERT|^UNABLE_TO_|^EPROTO$|^ERR_(TLS|SSL)_|^HPE_/;

export function toOpenFault(error: unknown, bucket: string): Fault {
  if (error instanceof Fault) return error;
  const code = getStorageErrorCode(error);
  const status = getErrorStatus(error);
  const known = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  const reason =
    known ?? (status === undefined ? `the server cannot be asked (${code})` : `the server answers ${status}`);
  return createFault(
    'STO_OPEN',
    { place: `the bucket ${bucket}`, reason },
    { retryable: isTransient(error) && !WRONG.test(code) },
  );
}
