/** Headers and body of a call: constants are built at load, request values validated when read. */
import { createFault } from '../../../contract/fault.js';
import { asText, isObject, type Json } from '../../../contract/json.js';
import type { Frame, PlanTools, Reader } from '../../../contract/plan.js';
import { writeJson } from '../../../language/strings/exact-json.js';
import { compileQuery } from './query.js';
import { parsePieces, readValueText, PLAIN, type Piece, type Value } from './values.js';
import { getBodyForm, HEADER_VALUE, type BodyForm } from './http-syntax.light.js';

export type Headers = Record<string, string>;

/** A new object each time: the sender may modify it. */
export function compileHeaders(written: Readonly<Record<string, Json>>, tools: PlanTools): (frame: Frame) => Headers {
  const fixed: Headers = {};
  const read: (readonly [string, readonly Piece[]])[] = [];
  for (const [name, text] of Object.entries(written)) {
    const pieces = parsePieces(asText(text), tools);
    const [only = ''] = pieces;
    if (pieces.length <= 1 && typeof only === 'string') fixed[name.toLowerCase()] = only;
    else read.push([name.toLowerCase(), pieces]);
  }
  return (frame) => {
    const headers = { ...fixed };
    for (const [name, pieces] of read) {
      const text = renderHeader(frame, pieces, name === 'cookie' ? toCookieValue : toHeaderValue);
      if (text !== null) headers[name] = text;
    }
    return headers;
  };
}

/** A header that consists of one null value is not sent. */
function renderHeader(frame: Frame, pieces: readonly Piece[], safe: typeof toHeaderValue): string | null {
  let out = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      out += piece;
      continue;
    }
    const text = readValueText(frame, piece);
    if (text === null && pieces.length === 1) return null;
    const found = text ?? piece.rejectValue(PLAIN);
    // A whole header has no other part.
    out += pieces.length === 1 ? toHeaderValue(found, piece) : safe(found, piece);
  }
  return out;
}

/** Rejects what a header cannot carry unchanged. */
export const toHeaderValue = (text: string, { rejectValue }: Pick<Value, 'rejectValue'>): string =>
  HEADER_VALUE.test(text) ? text : rejectValue('has characters that a header cannot carry');

/** A value of one cookie must not start another. */
const toCookieValue: typeof toHeaderValue = (text, value) =>
  /[;,"\\\s]/.test(text) ? value.rejectValue('has characters that a cookie cannot carry') : toHeaderValue(text, value);

export interface BodyPlan {
  readonly read: Reader<string>;
  readonly contentType: string;
}

/** `contentType`: the constant of the definition, or null. */
export function compileBody(json: Json | undefined, contentType: string | null, tools: PlanTools): BodyPlan | null {
  if (json === undefined) return null;
  const form = getBodyForm(contentType ?? '');
  const type = contentType ?? 'application/json';
  if (form === 'form' && isObject(json)) return { read: compileQuery(json, tools) ?? (() => ''), contentType: type };
  const pieces = form === 'json' ? [] : parsePieces(asText(json), tools);
  const encode = createPieceEncoder(form, type);
  if (encode !== null && pieces.length > 1) {
    return { read: (frame) => pieces.map((piece) => renderPiece(frame, piece, encode)).join(''), contentType: type };
  }
  const value = tools.value(json);
  if (form === 'json') return { read: (frame) => writeJson(value(frame) ?? null) ?? 'null', contentType: type };
  return { read: (frame) => requireText(value(frame), asText(json)), contentType: type };
}

/** A value inside other text cannot end its part. */
type Encode = (text: string) => string;

const XML = /[/+]xml *(;|$)/i;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Null for text of unknown syntax, which takes values unchanged. */
function createPieceEncoder(form: BodyForm, type: string): Encode | null {
  if (form === 'form') return encodeURIComponent;
  return XML.test(type) ? (text) => text.replace(/[&<>"']/g, (one) => ENTITIES[one] ?? '') : null;
}

function renderPiece(frame: Frame, piece: Piece, encode: Encode): string {
  if (typeof piece === 'string') return piece;
  const text = readValueText(frame, piece) ?? piece.rejectValue(PLAIN);
  return text.isWellFormed() ? encode(text) : piece.rejectValue('is not well-formed text');
}

function requireText(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw createFault('OUT_VALUE', { name, what: 'must be text' });
}
