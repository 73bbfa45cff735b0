/** The content type of a form, and the names in it. Strict: two readers must never see two different forms. */
import { fault } from '../contract/fault.js';
import { POISON_KEYS } from '../contract/json.js';
import { CLOSE } from './body.js';

const MAX_NAME_BYTES = 200;

const PARAMETER = /;[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:"([^"\\]*)"|([^\s;"]+))[ \t]*/gy;

/** What RFC 2046 allows. */
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;

/** The boundary that a content type names: exactly one, 1 to 70 characters. */
export function boundaryOf(contentType: string): string {
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
  if (!whole || found.length !== 1 || !BOUNDARY.test(boundary)) throw broken('the boundary is missing or not valid');
  return boundary;
}

/** Browsers write these three so; nothing else is an escape. */
const ESCAPES: Readonly<Record<string, string>> = { '%0A': '\n', '%0D': '\r', '%22': '"' };
const unescaped = (text: string): string =>
  text.replace(/%0A|%0D|%22/gi, (found) => ESCAPES[found.toUpperCase()] ?? '');

/** Bytes that were no text became this character when they were read. */
const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\u{fffd}');

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Name of a part, as the payload has it: flat, whatever brackets and dots are in it. */
export function partName(written: string | undefined): string {
  if (written === undefined || written === '') throw broken('a part has no name');
  const name = unescaped(written);
  if (!isText(name) || CONTROL.test(name)) throw broken('the name of a part is not plain text');
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw fault('REQ_TOO_COMPLEX', { what: 'bytes in the name of a part', max: MAX_NAME_BYTES }, CLOSE);
  }
  if (POISON_KEYS.has(name)) throw fault('REQ_NAME_REFUSED', {}, CLOSE);
  return name;
}

/** Name of a file as the client has it: data, and its last segment only. */
export function fileName(written: string): string {
  const name = unescaped(written);
  if (!isText(name) || CONTROL.test(name)) throw broken('the name of a file is not plain text');
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
}

export function partText(name: string, value: string): string {
  if (!isText(value)) throw broken(`"${name}" is not text in UTF-8`);
  return value;
}

export const broken = (what: string, cause?: unknown) => fault('REQ_FORM', { what }, { ...CLOSE, cause });
