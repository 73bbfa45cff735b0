/** Errors that Koa middlewares throw on purpose (`ctx.throw(401)`, http-errors). */
import { STATUS_CODES } from 'node:http';
import { createFault, type Fault } from '../../contract/fault.js';

/** Null for any other error. Only messages that their author marked as exposed reach the client. */
export function rejectionOf(error: unknown): Fault | null {
  if (!(error instanceof Error) || !('expose' in error) || error.expose !== true || !('status' in error)) return null;
  const { status, message } = error;
  if (typeof status !== 'number' || status < 400 || status > 499) return null;
  const headers = 'headers' in error ? (error.headers as Readonly<Record<string, string>> | undefined) : undefined;
  return createFault(
    'REQ_REJECTED',
    {},
    { status, message: message || (STATUS_CODES[status] ?? String(status)), ...(headers && { headers }) },
  );
}
