/** A token or key, or a function that returns it for each request; it receives the text of the body. */
export type Credential = string | ((body: string) => string | undefined | Promise<string | undefined>);

export interface ClientOptions {
  /** Where the server is: `https://api.example.com`. */
  readonly url: string;
  /** Sent to operations that require them. */
  readonly credentials?: Credentials | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** By default the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * How often a request is sent again after a failure that may be temporary: 2 by default. Only operations that change nothing, and
   * requests that the server rejected before any work.
   */
  readonly retries?: number | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Success<Data> {
  readonly ok: true;
  readonly data: Data;
}

export interface Failure<Code extends string> {
  readonly ok: false;
  readonly problem: Problem<Code>;
}

export type Result<Data, Code extends string> = Success<Data> | Failure<Code>;

/** Why a request was rejected or failed (RFC 9457). A server that is newer than this file may have other codes. */
export interface Problem<Code extends string = string> {
  /** A URI that names the code. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** A sentence for people. */
  readonly detail: string;
  /** The request. */
  readonly instance: string;
  readonly code: Code;
  /** What is wrong with the input, one by one. */
  readonly errors?: readonly { readonly pointer: string; readonly code: string; readonly detail: string }[];
}

/** What `unwrap` throws. */
export class ProblemError<Code extends string = string> extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem<Code>;
  constructor(problem: Problem<Code>) {
    super(`${problem.code}: ${problem.detail}`);
    this.problem = problem;
  }
}

/** An answer that is neither a result nor a problem, such as one of a proxy. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError';
  readonly status: number;
  readonly body: string;
  constructor(status: number, body: string) {
    super(`the answer (${status}) is neither a result nor a problem`);
    this.status = status;
    this.body = body;
  }
}

/** The data of a success; throws a `ProblemError` otherwise. */
export function unwrap<Data, Code extends string>(result: Result<Data, Code>): Data {
  if (!result.ok) throw new ProblemError(result.problem);
  return result.data;
}

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Alternatives, each a list of credentials that are all required. */
  readonly security: readonly (readonly string[])[];
  /** Changes nothing, so that it can be sent again. */
  readonly repeatable?: true;
  /** The body is a form with files. */
  readonly form?: true;
  /** The body is a field of the argument, next to the parameters of the path. */
  readonly body?: true;
  /** The field of the response with the result. */
  readonly result?: string;
}

/** Problems of requests that were rejected before any work. */
const BEFORE_WORK: ReadonlySet<string> = new Set(['REQ_WAITING', 'REQ_NO_ROOM', 'RES_MAINTENANCE']);
/** The server asks for more: the caller decides. */
const LONGEST_WAIT_MS = 10_000;

interface SendOptions extends CallOptions {
  readonly headers?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
}

async function send<Data, Code extends string>(
  client: ClientOptions,
  operation: Operation,
  payload: unknown,
  options: SendOptions = {},
): Promise<Result<Data, Code>> {
  const { signal } = options;
  const request = await createRequest(client, operation, payload, options);
  const { retries = 2, fetch = globalThis.fetch } = client;
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= retries;
    let response: Response;
    try {
      response = await fetch(request.url, { ...request.init, ...(signal !== undefined && { signal }) });
    } catch (error) {
      // It is not known whether the server received the request.
      if (isLast || operation.repeatable !== true || signal?.aborted === true) throw error;
      await pause(waitAfter(attempt), signal);
      continue;
    }
    const text = await response.text();
    const body = parseJson(response, text);
    if (response.ok && body !== undefined) return { ok: true, data: pickResult(operation, body) as Data };
    const problem = isProblem(body) ? (body as Problem<Code>) : null;
    const wait = isLast ? null : findWait(operation, response, problem, attempt);
    if (wait !== null) await pause(wait, signal);
    else if (problem === null) throw new ResponseError(response.status, text);
    else return { ok: false, problem };
  }
}

/** Milliseconds until the request is sent again; null if it is not. */
function findWait(
  { repeatable }: Operation,
  { status, headers }: Response,
  problem: Problem | null,
  attempt: number,
): number | null {
  if (status !== 503 && !(repeatable === true && (status === 502 || status === 504))) return null;
  const isSafe = repeatable === true || (problem !== null && BEFORE_WORK.has(problem.code));
  if (!isSafe) return null;
  const seconds = Number(headers.get('retry-after') ?? 0);
  const wait = seconds > 0 ? seconds * 1000 : waitAfter(attempt);
  return wait <= LONGEST_WAIT_MS ? wait : null;
}

/** Longer after each attempt, and different for each client. */
const waitAfter = (attempt: number): number => 200 * 2 ** attempt * (0.5 + Math.random());

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    if (signal?.aborted === true) return reject(signal.reason as Error);
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

async function createRequest(
  { url, credentials = {}, headers }: ClientOptions,
  operation: Operation,
  payload: unknown,
  options: SendOptions,
): Promise<{ readonly url: string; readonly init: RequestInit }> {
  const { path, rest } = fillPath(operation, payload);
  const isBody = operation.method !== 'GET' && operation.method !== 'DELETE';
  const body = !isBody ? null : operation.form === true ? createForm(rest) : JSON.stringify(rest ?? {});
  const sent = new Headers({ accept: 'application/json', ...headers });
  for (const [name, value] of Object.entries(options.headers ?? {}))
    if (value !== undefined) sent.set(name, String(value));
  if (typeof body === 'string') sent.set('content-type', 'application/json');
  const proofs = await findProofs(operation.security, credentials, typeof body === 'string' ? body : '');
  for (const [name, value] of proofs) sent.set(name, value);
  const query = isBody ? '' : formatQuery(rest);
  return {
    url: `${url.replace(/\/$/, '')}${path}${query}`,
    init: { method: operation.method, headers: sent, ...(body !== null && { body }) },
  };
}

/** The path with the values of its parameters, and what remains of the payload. */
function fillPath({ path, body }: Operation, payload: unknown): { readonly path: string; readonly rest: unknown } {
  const values = typeof payload === 'object' && payload !== null ? { ...(payload as Record<string, unknown>) } : {};
  let isFilled = false;
  const filled = path.replace(/\{([^}]*)\}/g, (_, name: string) => {
    const value = values[name];
    delete values[name];
    isFilled = true;
    return encodeURIComponent(String(value));
  });
  return { path: filled, rest: body === true ? values['body'] : isFilled ? values : payload };
}

/** The headers of the first alternative of which every credential is there. */
async function findProofs(
  alternatives: Operation['security'],
  credentials: Credentials,
  body: string,
): Promise<[string, string][]> {
  for (const names of alternatives) {
    const headers: [string, string][] = [];
    for (const name of names) {
      const scheme = SCHEMES[name];
      const value = await findCredential(credentials, name, body);
      if (scheme !== undefined && value !== undefined) headers.push([scheme.header, `${scheme.prefix}${value}`]);
    }
    if (headers.length === names.length) return headers;
  }
  return [];
}

async function findCredential(credentials: Credentials, name: string, body: string): Promise<string | undefined> {
  const written = (credentials as Readonly<Record<string, Credential | undefined>>)[name];
  return typeof written === 'function' ? await written(body) : written;
}

/** Lists are repeated; objects are JSON. */
function createForm(payload: unknown): FormData {
  const form = new FormData();
  for (const [name, value] of listFields(payload)) form.append(name, value instanceof Blob ? value : toText(value));
  return form;
}

function formatQuery(payload: unknown): string {
  const fields = listFields(payload).map(([name, value]): [string, string] => [name, toText(value)]);
  return fields.length === 0 ? '' : `?${new URLSearchParams(fields).toString()}`;
}

const listFields = (payload: unknown): [string, unknown][] =>
  Object.entries((payload ?? {}) as Record<string, unknown>).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly unknown[]) : [value]).flatMap((one): [string, unknown][] =>
      one === undefined || one === null ? [] : [[name, one]],
    ),
  );

const toText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

function parseJson({ status, headers }: Response, text: string): unknown {
  if (!(headers.get('content-type') ?? '').includes('json')) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ResponseError(status, text);
  }
}

const pickResult = ({ result }: Operation, body: unknown): unknown =>
  result === undefined ? body : (body as Readonly<Record<string, unknown>>)[result];

const isProblem = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string';
