/** Constants and predicates for URLs, methods and headers. */
import { parseTemplate, type AccessorPart, type TemplatePart } from '../../../language/strings/accessor.js';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
/** Idempotent methods (RFC 9110). */
export const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);
export const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Tab, visible ASCII, space and Latin-1; excludes line breaks. */
export const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Managed by the client: setting them could enable request smuggling. */
export const MANAGED_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'http2-settings',
]);

/** Environment variables are constant text, known at load. */
export const isFixed = (part: TemplatePart): boolean => typeof part === 'string' || part.root === 'ENV';

export interface UrlParts {
  readonly parts: readonly TemplatePart[];
  /** The whole URL, where it is read per request. */
  readonly whole: AccessorPart | null;
}

export function parseUrlParts(text: string): UrlParts {
  const parts = parseTemplate(text);
  const [only] = parts;
  const whole = parts.length === 1 && only !== undefined && typeof only !== 'string' && !isFixed(only) ? only : null;
  return { parts, whole };
}

export type BodyForm = 'json' | 'form' | 'text';

export function getBodyForm(contentType: string): BodyForm {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === '' || /^[a-z]+\/([a-z0-9.!#$&^_-]+\+)?json$/.test(type)) return 'json';
  return type === 'application/x-www-form-urlencoded' ? 'form' : 'text';
}
