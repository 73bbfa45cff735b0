/**
 * The only error class of a running request. It carries a code and data; message and status come from the catalogue,
 * so a fault cannot leak a driver's message to a client.
 */
import type { Params } from './problem.js';

/** One error in the client's input; `pointer` is a JSON pointer into the payload. */
export interface Issue {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

export interface FaultOptions {
  readonly cause?: unknown;
  readonly issues?: readonly Issue[];
  /** The same request may succeed later. */
  readonly retryable?: boolean;
  /** Response headers of this fault, such as `allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Overrides the catalogue's message with that of the definition. */
  readonly message?: string;
  readonly status?: number;
}

export class Fault extends Error {
  readonly code: string;
  readonly params: Params;
  readonly options: FaultOptions;
  /** Where it occurred; set once, by the innermost code that knows. */
  where: { resource?: string; action?: string; plugin?: string; hook?: string } = {};
  /** Headers that earlier steps put on every response of the request (`Frame.lastingHeaders`); set once. */
  lastingHeaders: Readonly<Record<string, string>> | null = null;

  constructor(code: string, params: Params = {}, options: FaultOptions = {}) {
    super(code, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.params = params;
    this.options = options;
  }
}

/** Creates a fault. `code` must exist in the catalogue or in the `errors` of a plugin. */
export function fault(code: string, params: Params = {}, options: FaultOptions = {}): Fault {
  return new Fault(code, params, options);
}

/** The fault for a request that lacks a value which the definition reads. */
export const unresolved = (name: string, path: readonly string[]): Fault =>
  fault(
    'ACC_UNRESOLVED',
    { name },
    { issues: [{ pointer: `/${path.join('/')}`, code: 'ACC_UNRESOLVED', detail: 'is missing' }] },
  );
