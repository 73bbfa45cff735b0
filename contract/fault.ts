/** The error of a running request. Message and status come from the catalogue, so no driver's message leaks. */
import type { Params, Issue } from './problem.js';

export interface FaultOptions {
  readonly cause?: unknown;
  readonly issues?: readonly Issue[];
  readonly retryable?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** The definition's message, instead of the catalogue's. */
  readonly message?: string;
  readonly status?: number;
  /** A division by zero, by a value of the request or the text of the statement. */
  readonly isDivision?: boolean;
  /** Where in its statement the database found the error. */
  readonly word?: { readonly text: string; readonly nth: number };
}

export class Fault extends Error {
  readonly code: string;
  readonly params: Params;
  readonly options: FaultOptions;
  /** Set once, by the innermost code that knows. */
  where: { resource?: string; action?: string; plugin?: string; hook?: string } = {};
  /** `Frame.lastingHeaders` of the request; set once. */
  lastingHeaders: Readonly<Record<string, string>> | null = null;

  constructor(code: string, params: Params = {}, options: FaultOptions = {}) {
    super(code, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.params = params;
    this.options = options;
  }
}

/** `code`: of the catalogue or in the `errors` of a plugin. */
export function createFault(code: string, params: Params = {}, options: FaultOptions = {}): Fault {
  return new Fault(code, params, options);
}

/** A request lacks a value that the definition reads. */
export const createUnresolvedFault = (name: string, path: readonly string[]): Fault =>
  createFault(
    'ACC_UNRESOLVED',
    { name },
    { issues: [{ pointer: `/${path.join('/')}`, code: 'ACC_UNRESOLVED', detail: 'is missing' }] },
  );

export const ensureFault = (error: unknown): Fault =>
  error instanceof Fault ? error : new Fault('INT_UNEXPECTED', {}, { cause: error });

/** For rejections that leave the rest of a body unread, so the connection cannot be reused. */
export const CLOSE = { headers: { connection: 'close' } };
