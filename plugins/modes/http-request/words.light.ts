/** What spec and runtime both know of addresses, verbs and headers. Text only; nothing is resolved. */
import { parseTemplate, type AccessorPart, type TemplatePart } from '../../../kernel/language/accessor.js';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
/** Doing it twice is doing it once. */
export const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);
export const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Visible ASCII, blanks, and the rest of Latin-1: nothing that could end a line. */
export const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** They belong to the connection or follow from the body; whoever could set them could break a message in two. */
export const OURS: ReadonlySet<string> = new Set([
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

/** A variable of the environment stands for text that is known before anything runs. */
export const isFixed = (part: TemplatePart): boolean => typeof part === 'string' || part.root === 'ENV';

export interface UrlParts {
  readonly parts: readonly TemplatePart[];
  /** The one accessor that is the whole address, where it is read for each request. */
  readonly whole: AccessorPart | null;
}

export function urlParts(text: string): UrlParts {
  const parts = parseTemplate(text);
  const [only] = parts;
  const whole = parts.length === 1 && only !== undefined && typeof only !== 'string' && !isFixed(only) ? only : null;
  return { parts, whole };
}

/** The form in which a header says what the body is. */
export type BodyForm = 'json' | 'form' | 'text';

export function bodyForm(contentType: string): BodyForm {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === '' || /^[a-z]+\/([a-z0-9.!#$&^_-]+\+)?json$/.test(type)) return 'json';
  return type === 'application/x-www-form-urlencoded' ? 'form' : 'text';
}
