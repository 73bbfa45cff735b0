/** Sends a request and measures it. Follows no redirects; limits the body. */
import type { BuiltRequest } from './build-request.js';
import type { RawAnswer } from './response.js';

/** No response was received; the message says why. */
export class NoResponseError extends Error {}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there: the kernel does not run, or on another port.',
  ENOTFOUND: 'No machine has this name.',
  ECONNRESET: 'The other side closed the connection.',
  UND_ERR_SOCKET: 'The other side closed the connection.',
  UND_ERR_HEADERS_TIMEOUT: 'No answer came in time.',
};

export async function send({ url, method, headers, body }: BuiltRequest, signal: AbortSignal): Promise<RawAnswer> {
  const begun = performance.now();
  try {
    const answer = await fetch(url, { method, headers, body, signal, redirect: 'manual' });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const took = performance.now() - begun;
    return { status: answer.status, statusText: answer.statusText, headers: answer.headers, bytes, took };
  } catch (error) {
    if (signal.aborted) throw new NoResponseError('The request was cancelled.');
    throw new NoResponseError(describeError(error));
  }
}

function describeError(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const inner = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
  const code = (inner as { readonly code?: unknown } | null)?.code;
  const known = typeof code === 'string' ? REASONS[code] : undefined;
  return known ?? (inner instanceof Error ? inner.message : String(inner));
}

/** The connection was refused, so the kernel may not be running. */
export const isRefused = (reason: string): boolean => reason === REASONS['ECONNREFUSED'];
