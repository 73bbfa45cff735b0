/** Headers and body of a call: constants are built at load, request values are validated when read. */
import { fault } from '../../../contract/fault.js';
import { asText, isObject, type Json } from '../../../contract/json.js';
import type { Frame, PlanTools, Reader } from '../../../contract/plan.js';
import { writeJson } from '../../../language/strings/exact-json.js';
import { compileQuery } from './query.js';
import { piecesIn, textOf, PLAIN, type Piece, type Value } from './values.js';
import { bodyForm, HEADER_VALUE, type BodyForm } from './words.light.js';

export type Headers = Record<string, string>;

/** Returns a new object each time, because the sender may modify it. */
export function compileHeaders(written: Readonly<Record<string, Json>>, tools: PlanTools): (frame: Frame) => Headers {
  const fixed: Headers = {};
  const read: (readonly [string, readonly Piece[]])[] = [];
  for (const [name, text] of Object.entries(written)) {
    const pieces = piecesIn(asText(text), tools);
    const [only = ''] = pieces;
    if (pieces.length <= 1 && typeof only === 'string') fixed[name.toLowerCase()] = only;
    else read.push([name.toLowerCase(), pieces]);
  }
  return (frame) => {
    const headers = { ...fixed };
    for (const [name, pieces] of read) {
      const text = headerText(frame, pieces, name === 'cookie' ? cookieSafe : headerSafe);
      if (text !== null) headers[name] = text;
    }
    return headers;
  };
}

/** A header that consists of one null value is not sent. */
function headerText(frame: Frame, pieces: readonly Piece[], safe: typeof headerSafe): string | null {
  let out = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      out += piece;
      continue;
    }
    const text = textOf(frame, piece);
    if (text === null && pieces.length === 1) return null;
    const found = text ?? piece.refuse(PLAIN);
    // A value that is the whole header cannot break into another part of it.
    out += pieces.length === 1 ? headerSafe(found, piece) : safe(found, piece);
  }
  return out;
}

/** Returns a value that a header can carry unchanged; rejects any other. */
export const headerSafe = (text: string, { refuse }: Pick<Value, 'refuse'>): string =>
  HEADER_VALUE.test(text) ? text : refuse('has characters that a header cannot carry');

/** A value of one cookie must not start another. */
const cookieSafe: typeof headerSafe = (text, value) =>
  /[;,"\\\s]/.test(text) ? value.refuse('has characters that a cookie cannot carry') : headerSafe(text, value);

export interface BodyPlan {
  readonly read: Reader<string>;
  readonly contentType: string;
}

/** `contentType`: the constant of the definition, or null. */
export function compileBody(json: Json | undefined, contentType: string | null, tools: PlanTools): BodyPlan | null {
  if (json === undefined) return null;
  const form = bodyForm(contentType ?? '');
  const type = contentType ?? 'application/json';
  if (form === 'form' && isObject(json)) return { read: compileQuery(json, tools) ?? (() => ''), contentType: type };
  const pieces = form === 'json' ? [] : piecesIn(asText(json), tools);
  const encode = encoding(form, type);
  if (encode !== null && pieces.length > 1) {
    return { read: (frame) => pieces.map((piece) => pieceText(frame, piece, encode)).join(''), contentType: type };
  }
  const value = tools.value(json);
  if (form === 'json') return { read: (frame) => writeJson(value(frame) ?? null) ?? 'null', contentType: type };
  return { read: (frame) => plainText(value(frame), asText(json)), contentType: type };
}

/** Escapes a value inside other text, so that it cannot end its part. */
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
function encoding(form: BodyForm, type: string): Encode | null {
  if (form === 'form') return encodeURIComponent;
  return XML.test(type) ? (text) => text.replace(/[&<>"']/g, (one) => ENTITIES[one] ?? '') : null;
}

function pieceText(frame: Frame, piece: Piece, encode: Encode): string {
  if (typeof piece === 'string') return piece;
  const text = textOf(frame, piece) ?? piece.refuse(PLAIN);
  return text.isWellFormed() ? encode(text) : piece.refuse('is not well-formed text');
}

function plainText(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw fault('OUT_VALUE', { name, what: 'must be text' });
}
