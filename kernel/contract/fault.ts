/**
 * The one error class of a running request. It carries a code of the catalogue and data; the words and the status come
 * from the catalogue in the error room, so a fault can never leak a driver's message to a client.
 */
import type { Params } from './problem.js';

/** One thing wrong with the client's input; `pointer` is a JSON pointer into the payload. */
export interface Issue {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

export interface FaultOptions {
  readonly cause?: unknown;
  readonly issues?: readonly Issue[];
  /** The same request may succeed when it is sent again later. */
  readonly retryable?: boolean;
  /** Response headers that belong to this fault, such as `allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the catalogue's words where the definition's author wrote others. */
  readonly message?: string;
  readonly status?: number;
}

export class Fault extends Error {
  readonly code: string;
  readonly params: Params;
  readonly options: FaultOptions;
  /** Where it happened; stamped once by the innermost place that knows. */
  where: { resource?: string; action?: string; plugin?: string; hook?: string } = {};
  /** What steps before it put on every answer of the request (`Frame.lastingHeaders`); stamped once. */
  lastingHeaders: Readonly<Record<string, string>> | null = null;

  constructor(code: string, params: Params = {}, options: FaultOptions = {}) {
    super(code, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.params = params;
    this.options = options;
  }
}

/** Makes a fault. `code` must stand in the catalogue or in the `errors` of a plugin. */
export function fault(code: string, params: Params = {}, options: FaultOptions = {}): Fault {
  return new Fault(code, params, options);
}

/** A request without the value that something reads of it. */
export const unresolved = (name: string, path: readonly string[]): Fault =>
  fault(
    'ACC_UNRESOLVED',
    { name },
    { issues: [{ pointer: `/${path.join('/')}`, code: 'ACC_UNRESOLVED', detail: 'is missing' }] },
  );
