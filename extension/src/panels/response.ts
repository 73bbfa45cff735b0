/** An HTTP response for the panel: body kind, problem document, timings. */

export interface ShownAnswer {
  readonly status: number;
  readonly statusText: string;
  /** Milliseconds until the whole response was received. */
  readonly took: number;
  /** Bytes of the body. */
  readonly size: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly timings: readonly Timing[];
  readonly body: ShownBody;
  readonly problem: Problem | null;
}

export interface Timing {
  readonly name: string;
  readonly text: string;
  readonly took: number;
}

export type ShownBody =
  | { readonly as: 'nothing' }
  | { readonly as: 'json' | 'text'; readonly text: string; readonly cut: boolean }
  | { readonly as: 'image'; readonly source: string }
  | { readonly as: 'file'; readonly type: string };

export interface Problem {
  readonly title: string;
  readonly detail: string;
  readonly code: string;
  readonly errors: readonly { readonly at: string; readonly detail: string }[];
}

export interface RawAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly took: number;
}

/** Characters of text that are shown at most. */
const MOST = 400_000;
const MOST_OF_IMAGE = 8_000_000;

export function toShownAnswer({ status, statusText, headers, bytes, took }: RawAnswer): ShownAnswer {
  const json = parseJsonBody(bytes, headers);
  return {
    status,
    statusText,
    took,
    size: bytes.length,
    headers: [...headers],
    timings: parseTimings(headers.get('server-timing') ?? ''),
    body: toShownBody(bytes, headers, json),
    problem: parseProblem(headers, json),
  };
}

const getMediaType = (headers: Headers): string =>
  (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

/** Returns undefined if the content type is not JSON or the body is invalid. */
export function parseJsonBody(bytes: Uint8Array, headers: Headers): unknown {
  if (!/[/+]json$/.test(getMediaType(headers))) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

function toShownBody(bytes: Uint8Array, headers: Headers, json: unknown): ShownBody {
  const type = getMediaType(headers);
  if (bytes.length === 0) return { as: 'nothing' };
  if (json !== undefined) return truncateBody('json', JSON.stringify(json, null, 2));
  if (/^image\/(?:png|jpeg|gif|webp|avif|bmp)$/.test(type) && bytes.length < MOST_OF_IMAGE)
    return { as: 'image', source: `data:${type};base64,${Buffer.from(bytes).toString('base64')}` };
  const text = new TextDecoder().decode(bytes);
  const isText = /^text\/|[/+](?:json|xml|javascript|yaml)$|^image\/svg/.test(type) || type === '';
  return isText && !text.includes('\u0000') ? truncateBody('text', text) : { as: 'file', type: type || 'bytes' };
}

const truncateBody = (as: 'json' | 'text', text: string): ShownBody => ({
  as,
  text: text.slice(0, MOST),
  cut: text.length > MOST,
});

function parseProblem(headers: Headers, json: unknown): Problem | null {
  if (getMediaType(headers) !== 'application/problem+json' || !isRecord(json)) return null;
  const errors = Array.isArray(json['errors']) ? (json['errors'] as readonly unknown[]).filter(isRecord) : [];
  return {
    title: toText(json['title']),
    detail: toText(json['detail']),
    code: toText(json['code']),
    errors: errors.map((one) => ({ at: toText(one['pointer'] ?? one['parameter']), detail: toText(one['detail']) })),
  };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Parses `Server-Timing`: `name;desc="words";dur=1.5, ...` */
export function parseTimings(header: string): Timing[] {
  const entries = header.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? [];
  return entries.flatMap((entry) => {
    const [name = '', ...rest] = (entry.match(/(?:"(?:[^"\\]|\\.)*"|[^;"])+/g) ?? []).map((part) => part.trim());
    const findParameter = (key: string): string | undefined =>
      rest
        .find((part) => part.toLowerCase().startsWith(`${key}=`))
        ?.slice(key.length + 1)
        .replace(/^"|"$/g, '');
    const took = Number(findParameter('dur'));
    return name === '' || !Number.isFinite(took) ? [] : [{ name, text: findParameter('desc') ?? name, took }];
  });
}
