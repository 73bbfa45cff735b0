/** Parses content type and part names of a multipart form strictly, so that no two parsers read it differently. */
import { CLOSE, createFault } from '../../../contract/fault.js';
import { POISON_KEYS } from '../../../contract/json.js';

const MAX_NAME_BYTES = 200;

const PARAMETER = /;[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:"([^"\\]*)"|([^\s;"]+))[ \t]*/gy;

/** The boundary syntax of RFC 2046. */
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;

/** The boundary must be unique and have 1 to 70 characters. */
export function parseBoundary(contentType: string): string {
  const start = contentType.indexOf(';');
  const found: string[] = [];
  let end = start;
  PARAMETER.lastIndex = Math.max(start, 0);
  for (let match = PARAMETER.exec(contentType); start !== -1 && match !== null; match = PARAMETER.exec(contentType)) {
    end = PARAMETER.lastIndex;
    if (match[1]?.toLowerCase() === 'boundary') found.push(match[2] ?? match[3] ?? '');
  }
  const [boundary = ''] = found;
  const whole = start !== -1 && end === contentType.length;
  if (!whole || found.length !== 1 || !BOUNDARY.test(boundary))
    throw createFormFault('the boundary is missing or not valid');
  return boundary;
}

/** Browsers escape only these characters (WHATWG HTML). */
const ESCAPES: Readonly<Record<string, string>> = { '%0A': '\n', '%0D': '\r', '%22': '"' };
const unescapeName = (text: string): string =>
  text.replace(/%0A|%0D|%22/gi, (found) => ESCAPES[found.toUpperCase()] ?? '');

/** Invalid UTF-8 was decoded as U+FFFD. */
const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\u{fffd}');

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Brackets and dots in a name have no meaning. */
export function parsePartName(written: string | undefined): string {
  if (written === undefined || written === '') throw createFormFault('a part has no name');
  const name = unescapeName(written);
  if (!isText(name) || CONTROL.test(name)) throw createFormFault('the name of a part is not plain text');
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw createFault('REQ_TOO_COMPLEX', { what: 'bytes in the name of a part', max: MAX_NAME_BYTES }, CLOSE);
  }
  if (POISON_KEYS.has(name)) throw createFault('REQ_NAME_REFUSED', {}, CLOSE);
  return name;
}

/** Only the last segment of the client's path, as data. */
export function parseFileName(written: string): string {
  const name = unescapeName(written);
  if (!isText(name) || CONTROL.test(name)) throw createFormFault('the name of a file is not plain text');
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
}

export function checkPartText(name: string, value: string): string {
  if (!isText(value)) throw createFormFault(`"${name}" is not text in UTF-8`);
  return value;
}

export const createFormFault = (what: string, cause?: unknown) =>
  createFault('REQ_FORM', { what }, { ...CLOSE, cause });
