/** Converts a fault into a problem document (RFC 9457). Texts come only from catalogue and definition. */
import { fillMessage, type CodeEntry, type ErrorResponse } from '../../contract/problem.js';
import { REQUEST_CODES } from './request-codes.js';
import type { Fault } from '../../contract/fault.js';

/** `docs`: base URL of the error pages. */
export function createErrorResponse(
  fault: Fault,
  id: string,
  codes: Readonly<Record<string, CodeEntry>>,
  docs: string,
): ErrorResponse {
  const known = codes[fault.code];
  const entry = known?.status === undefined ? REQUEST_CODES.INT_UNEXPECTED : known;
  const code = entry === known ? fault.code : 'INT_UNEXPECTED';
  const status = fault.options.status ?? entry.status ?? 500;
  const detail = fault.options.message ?? fillMessage(entry.message, fault.params);
  const { issues } = fault.options;
  return {
    status,
    headers: { ...fault.lastingHeaders, ...fault.options.headers },
    body: {
      type: `${docs}${code}`,
      title: entry.title,
      status,
      detail,
      instance: `urn:request:${id}`,
      code,
      ...(issues && issues.length > 0 && { errors: issues }),
      success: false,
      message: detail,
    },
  };
}
