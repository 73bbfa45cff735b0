/** Checks URL, headers and body of a call. Pure; reports only what is certain. */
import { asText, escapePointer, isObject, type Json, type JsonObject } from '../../../contract/json.js';
import type { Outbound } from '../../../contract/outbound.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import { listAccessors, type AccessorPart } from '../../../language/strings/accessor.js';
import { HEADER_NAME } from '../../../language/strings/header.js';
import {
  getBodyForm,
  BODILESS,
  HEADER_VALUE,
  IDEMPOTENT,
  isFixed,
  MANAGED_HEADERS,
  parseUrlParts,
} from './http-syntax.light.js';

export function check({ value, outbound }: CheckPlace): Finding[] {
  const http: JsonObject = isObject(value['http']) ? value['http'] : {};
  const headers: JsonObject = isObject(http['headers']) ? http['headers'] : {};
  return [
    ...checkUrl(asText(http['url']), outbound),
    ...checkQuery(http['query']),
    ...Object.entries(headers).flatMap(([name, text]) => checkHeader(name, asText(text))),
    ...checkDuplicates(headers),
    ...checkBody(http, headers),
    ...checkRetries(http, headers),
  ];
}

const formatAccessor = ({ root, tail }: AccessorPart): string => [`$${root}`, ...tail].join('.');
const URL_AT = '/http/url';
const createUrlFinding = (what: string, span?: readonly [number, number]): Finding[] => [
  { code: 'OUT_URL', at: URL_AT, params: { place: 'this call', what }, ...(span && { span }) },
];

/** Placeholder for an environment variable with an unknown value. */
const VARIABLE = '\u0001';

function checkUrl(url: string, outbound: CheckPlace['outbound']): Finding[] {
  const { parts, whole } = parseUrlParts(url);
  const createHostFinding = (part: AccessorPart): Finding[] => [
    { code: 'OUT_HOST', at: URL_AT, span: [part.start, part.end], params: { name: formatAccessor(part) } },
  ];
  if (whole !== null) return outbound?.dynamic_hosts === true ? [] : createHostFinding(whole);
  const first = parts.findIndex((part) => !isFixed(part));
  const value = first === -1 ? undefined : parts[first];
  const fixed = (first === -1 ? parts : parts.slice(0, first))
    .map((part) => (typeof part === 'string' ? part : VARIABLE))
    .join('');
  if (typeof value === 'object' && !endsHost(fixed)) return createHostFinding(value);
  const hash = url.indexOf('#');
  if (hash !== -1) return createUrlFinding('what stands behind "#" is never sent', [hash, url.length]);
  return [...checkOrigin(fixed, url, outbound), ...checkBlanks(url), ...checkSecrets(url)];
}

/** `{id}` and `:id` of other systems would be sent literally. */
function checkBlanks(url: string): Finding[] {
  const blank = /(?<![${])\{\s*([A-Za-z_][\w.]*)\s*\}(?!\})|(?<=\/):([A-Za-z_]\w*)|<([A-Za-z_]\w*)>/g;
  return [...url.matchAll(blank)].map(({ 0: text, 1: braces, 2: colon, 3: angles, index }) => {
    const right = `$PAYLOAD.${braces ?? colon ?? angles ?? ''}`;
    const span = [index, index + text.length] as const;
    const what = `a value of the request is written "${right}" in it`;
    return {
      code: 'OUT_URL',
      at: URL_AT,
      span,
      params: { place: 'this call', what },
      fix: { title: `change to ${right}`, text: right },
    };
  });
}

/** A variable may hold a scheme with a host, or more. */
const endsHost = (fixed: string): boolean => /[/?]/.test(fixed.replace(/^[^:/?]*:\/\//, ''));

/** DNS names, four decimal octets, or IPv6 in brackets. */
const HOST = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*\.?|\[[0-9a-f:.]+\])$/i;
const FOUR = /^(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;

function checkOrigin(fixed: string, url: string, outbound: CheckPlace['outbound']): Finding[] {
  if (fixed.startsWith(VARIABLE)) return [];
  const [, scheme = '', authority = '', rest = ''] = /^([^:/?]*):\/\/([^/?]*)(.*)$/s.exec(fixed) ?? [];
  if (!/^https?$/i.test(scheme)) return suggestScheme(fixed, url);
  if (/[\s\\]/.test(fixed)) return createUrlFinding('it has blanks or backslashes');
  if (authority.includes('@')) return createUrlFinding('it holds credentials; send them in a header');
  const [path = ''] = rest.split('?', 1);
  if (/\/(\.|%2e){1,2}(\/|$)/i.test(path)) return createUrlFinding('its path leads elsewhere');
  if (authority.includes(VARIABLE)) return [];
  const [, host = '', port] = /^(.*?)(?::(\d*))?$/s.exec(authority) ?? [];
  const last = host.replace(/\.$/, '').split('.').at(-1) ?? '';
  // Parsers treat a numeric last label as a legacy IPv4 address.
  if (!HOST.test(host) || (/^(\d+|0x[0-9a-f]*)$/i.test(last) && !FOUR.test(host)))
    return createUrlFinding('it has no valid host');
  if (port !== undefined && (port === '' || Number(port) < 1 || Number(port) > 65_535))
    return createUrlFinding('its port is not valid');
  const reason = findPrivateReason(host.toLowerCase().replace(/\.$/, ''));
  if (reason === null || outbound === null || isAllowed(outbound, host)) return [];
  const start = fixed.indexOf('//') + 2;
  return [{ code: 'OUT_PRIVATE', at: URL_AT, span: [start, start + host.length], params: { host, what: reason } }];
}

/** `api.example.com/orders` lacks only the scheme; a path lacks the host. */
function suggestScheme(fixed: string, url: string): Finding[] {
  const found = createUrlFinding('it begins with "http://" or "https://"');
  const [slip, scheme] = /^(https?)(?::?\/{1,2}|:)(?=[a-z0-9])/i.exec(url) ?? [];
  const isHost = /^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?([/?]|$)/i.test(fixed);
  if (slip === undefined && !isHost) return found;
  const right = slip === undefined ? `https://${url}` : `${scheme}://${url.slice(slip.length)}`;
  const fix = { title: `change to "${right}"`, text: JSON.stringify(right) };
  return found.map((finding) => ({ ...finding, fix }));
}

/** Simple cases; every address is checked when dialled. */
function findPrivateReason(host: string): string | null {
  if (host === 'localhost' || host.endsWith('.localhost')) return 'this machine';
  if (host.startsWith('[')) return /^\[[23]/.test(host) ? null : 'a reserved range';
  if (!FOUR.test(host)) return null;
  const [a = 0, b = 0] = host.split('.').map(Number);
  if (a === 127) return 'this machine';
  if (a === 10 || (a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168)) return 'a private range';
  if (a === 169 && b === 254) return 'link-local';
  if (a === 0 || a >= 224 || (a === 100 && b >= 64 && b <= 127)) return 'a reserved range';
  return null;
}

const stripBrackets = (host: string): string => host.toLowerCase().replace(/[[\]]/g, '');

/** Nothing is reported where an allowed range might contain the host. */
const isAllowed = ({ allow, connect_to: elsewhere }: Outbound, host: string): boolean =>
  [...allow, ...Object.keys(elsewhere)].some(
    (entry) => entry.includes('/') || stripBrackets(entry).startsWith(stripBrackets(host).replace(/\.$/, '')),
  );

function checkSecrets(url: string): Finding[] {
  const question = url.indexOf('?');
  return listAccessors(url)
    .filter((part) => part.root === 'ENV' && question !== -1 && part.start > question)
    .map((part) => ({
      code: 'OUT_SECRET_QUERY',
      at: URL_AT,
      span: [part.start, part.end] as const,
      params: { name: formatAccessor(part) },
    }));
}

function checkQuery(query: Json | undefined): Finding[] {
  if (query === undefined || !isObject(query)) return [];
  return Object.entries(query).flatMap(([name, value]) => {
    const secret = listAccessors(asText(value)).find(({ root }) => root === 'ENV');
    if (secret === undefined) return [];
    return [
      { code: 'OUT_SECRET_QUERY', at: `/http/query/${escapePointer(name)}`, params: { name: formatAccessor(secret) } },
    ];
  });
}

function checkHeader(name: string, text: string): Finding[] {
  const lower = name.toLowerCase();
  const at = `/http/headers/${escapePointer(name)}`;
  const createHeaderFinding = (what: string, key?: true): Finding[] => [
    { code: 'OUT_HEADER', at, params: { name: toPrintable(name), what }, ...(key && { key }) },
  ];
  if (!HEADER_NAME.test(name)) return createHeaderFinding('is not the name of a header', true);
  if (MANAGED_HEADERS.has(lower)) return createHeaderFinding('is set by the connection, not by a definition', true);
  if (!HEADER_VALUE.test(text)) return createHeaderFinding('has characters that a header cannot carry');
  if (CREDENTIALS.test(lower) && text.trim() !== '' && listAccessors(text).length === 0) {
    return [{ code: 'SEC_CLEAR', at, params: { place: `The header "${name}"`, form: '$ENV.API_KEY' } }];
  }
  if (lower === 'content-type' && listAccessors(text).some((part) => !isFixed(part))) {
    return createHeaderFinding('must be constant: the body is written by it');
  }
  return [];
}

const CREDENTIALS = /^(authorization|cookie|(x-)?(api|auth|access)[-_]?(key|token|secret))$/;
const toPrintable = (name: string): string => name.replace(/[^\x20-\x7e]/g, '?');

function checkDuplicates(headers: JsonObject): Finding[] {
  const seen = new Set<string>();
  return Object.keys(headers).flatMap((name): Finding[] => {
    const lower = name.toLowerCase();
    const twice = seen.has(lower);
    seen.add(lower);
    if (!twice) return [];
    const what = 'is written twice, in other capitals';
    const at = `/http/headers/${escapePointer(name)}`;
    return [{ code: 'OUT_HEADER', at, key: true, params: { name: toPrintable(name), what } }];
  });
}

function checkBody(http: JsonObject, headers: JsonObject): Finding[] {
  const body = http['request_body'];
  if (body === undefined) return [];
  const createBodyFinding = (what: string): Finding[] => [
    { code: 'OUT_BODY', at: '/http/request_body', params: { what } },
  ];
  const method = asText(http['method'] ?? 'GET');
  if (BODILESS.has(method)) return createBodyFinding(`${method} has none`);
  const [, type = ''] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  if (listAccessors(asText(type)).length > 0) return [];
  const form = getBodyForm(asText(type));
  if (form === 'text' && typeof body !== 'string') return createBodyFinding(`"${asText(type)}" is written as one text`);
  if (form === 'form' && typeof body !== 'string' && !isObject(body))
    return createBodyFinding('a form is an object of names and values');
  return [];
}

function checkRetries(http: JsonObject, headers: JsonObject): Finding[] {
  const method = asText(http['method'] ?? 'GET');
  if (typeof http['retries'] !== 'number' || http['retries'] === 0 || IDEMPOTENT.has(method)) return [];
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key')) return [];
  return [{ code: 'OUT_RETRIES', at: '/http/retries', params: { method } }];
}
