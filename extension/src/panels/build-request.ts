/** Builds a request (URL, headers, body) from the panel's form. Pure; sends nothing. */

export interface FormFile {
  /** Name of the multipart field. */
  readonly part: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface RequestForm {
  readonly base: string;
  readonly method: string;
  /** E.g. `/wallet/history/:entry`. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly payload: string;
  /** The payload is sent as the query string. */
  readonly withoutBody: boolean;
  /** The payload is sent as `multipart/form-data`. */
  readonly multipart: boolean;
  readonly files: readonly FormFile[];
}

export interface BuiltRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | FormData | null;
}

/** A message about invalid form input, shown to the user. */
export interface Mistake {
  readonly mistake: string;
}

export function buildRequest(form: RequestForm): BuiltRequest | Mistake {
  const { method, payload, withoutBody, multipart } = form;
  const address = buildAddress(form);
  if ('mistake' in address) return address;
  const headers = buildHeaders(form.headers);
  if ('mistake' in headers) return headers;
  const read = parsePayload(payload);
  if ('mistake' in read) return read;
  const { json } = read;
  if (withoutBody) {
    if (json !== undefined && !isRecord(json)) return { mistake: `A ${method} request takes a payload with names.` };
    for (const [name, value] of Object.entries(json ?? {})) address.url.searchParams.append(name, toText(value));
    return { url: address.url.href, method, headers, body: null };
  }
  if (multipart) {
    if (json !== undefined && !isRecord(json))
      return { mistake: 'Next to files, a payload has names: {"title": "..."}.' };
    const body = new FormData();
    for (const [name, value] of Object.entries(json ?? {})) body.append(name, toText(value));
    for (const { part, name, type, bytes } of form.files) body.append(part, new Blob([bytes], { type }), name);
    // `fetch` sets this header, because only it knows the multipart boundary.
    headers.delete('content-type');
    return { url: address.url.href, method, headers, body };
  }
  if (!headers.has('content-type') && payload.trim() !== '') headers.set('content-type', 'application/json');
  return { url: address.url.href, method, headers, body: payload.trim() === '' ? null : payload };
}

function buildAddress({ base, path, parameters }: RequestForm): { readonly url: URL } | Mistake {
  const missing = [...path.matchAll(/(?<=\/):([^/]+)/g)].find(([, name = '']) => (parameters[name] ?? '') === '');
  if (missing !== undefined) return { mistake: `The path needs a value for "${missing[1]}".` };
  const filled = path.replace(/(?<=\/):([^/]+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
  const text = `${base.trim().replace(/\/+$/, '')}${filled}`;
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text))
    return { mistake: `"${base}" is no address: it is written like http://127.0.0.1:8080.` };
  return { url: new URL(text) };
}

function buildHeaders(all: RequestForm['headers']): Headers | Mistake {
  const headers = new Headers();
  for (const [name, value] of all) {
    if (name.trim() === '' && value.trim() === '') continue;
    try {
      headers.append(name.trim(), value);
    } catch {
      return { mistake: `"${name}" with this value is no header: letters, digits and "-", and no line break.` };
    }
  }
  return headers;
}

/** `json` is undefined for empty text. */
function parsePayload(text: string): { readonly json: unknown } | Mistake {
  try {
    return { json: text.trim() === '' ? undefined : (JSON.parse(text) as unknown) };
  } catch (error) {
    return { mistake: `The payload is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

const isRecord = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** True for loopback addresses. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(hostname);
}
