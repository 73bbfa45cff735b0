/**
 * Compiles the URL of an outbound call. Scheme, host and port are fixed at load; request values are encoded as one
 * segment or query value. A whole URL from a request is validated separately.
 */
import { BootError } from '../../../contract/boot-error.js';
import type { Json } from '../../../contract/json.js';
import type { Frame, PlanTools, Reader } from '../../../contract/plan.js';
import { compilePieces, readValueText, PLAIN, type Piece, type Value } from './values.js';
import { compileQuery } from './query.js';
import { parseUrlParts } from './http-syntax.light.js';

export interface Address {
  readonly read: (frame: Frame) => URL;
  /** Scheme, host and port; null for a URL from the request. */
  readonly origin: string | null;
}

export function compileAddress(
  url: string,
  query: Json | undefined,
  tools: PlanTools,
  allowsDynamic: boolean,
): Address {
  const { parts, whole } = parseUrlParts(url);
  const tail = compileQuery(query, tools);
  const pieces = compilePieces(parts, tools);
  if (whole !== null) {
    const [value] = pieces;
    if (!allowsDynamic || typeof value !== 'object') throw createUrlError(tools, 'its host would come from a request');
    return { read: createDynamicUrlReader(value, tail), origin: null };
  }
  const [first = '', ...rest] = pieces;
  if (typeof first !== 'string') throw createUrlError(tools, 'its host would come from a request');
  const { origin, path, search } = split(first, rest.length > 0, tools);
  if (rest.some((piece) => typeof piece === 'string' && piece.includes('#')))
    throw createUrlError(tools, 'it has a fragment');
  const read = createTargetReader(path, search, rest, tail);
  if (rest.length === 0 && tail === null) {
    const constant = new URL(origin + path + (search ?? ''));
    return { read: () => constant, origin };
  }
  return { read: (frame) => assertSameOrigin(new URL(origin + read(frame)), origin), origin };
}

const createUrlError = (tools: PlanTools, what: string): BootError =>
  new BootError('OUT_URL', { place: tools.place, what });

interface Fixed {
  readonly origin: string;
  readonly path: string;
  /** Includes the question mark; null without one. */
  readonly search: string | null;
}

/** The constant prefix. Values may follow only after the host is complete. */
function split(text: string, continues: boolean, tools: PlanTools): Fixed {
  const [, base = '', rest = ''] = /^(https?:\/\/[^/?#\\\s]+)(.*)$/is.exec(text) ?? [];
  if (base === '' || !URL.canParse(text)) throw createUrlError(tools, 'it has no scheme http or https with a host');
  if (continues && rest === '') throw createUrlError(tools, 'its host would come from a request');
  if (rest.includes('#')) throw createUrlError(tools, 'it has a fragment');
  const { origin, username, password } = new URL(text);
  if (username !== '' || password !== '') throw createUrlError(tools, 'it holds credentials; send them in a header');
  const question = rest.indexOf('?');
  const path = question === -1 ? rest : rest.slice(0, question);
  return { origin, path: path === '' ? '/' : path, search: question === -1 ? null : rest.slice(question) };
}

function createTargetReader(
  path: string,
  search: string | null,
  pieces: readonly Piece[],
  tail: Reader<string> | null,
): (frame: Frame) => string {
  const inPath: Piece[] = [];
  const inQuery: Piece[] = search === null ? [] : [search];
  for (const piece of search === null ? [path, ...pieces] : pieces) {
    if (inQuery.length > 0) {
      inQuery.push(piece);
      continue;
    }
    const question = typeof piece === 'string' ? piece.indexOf('?') : -1;
    if (typeof piece !== 'string' || question === -1) inPath.push(piece);
    else {
      inPath.push(piece.slice(0, question));
      inQuery.push(piece.slice(question));
    }
  }
  const readPath = search === null ? createPathReader(inPath) : () => path;
  const readQuery = inQuery.map((piece) => (typeof piece === 'string' ? () => piece : createValueReader(piece)));
  return (frame) => {
    let out = readPath(frame);
    for (const read of readQuery) out += read(frame);
    const more = tail === null ? '' : tail(frame);
    return more === '' ? out : `${out}${readQuery.length === 0 ? '?' : '&'}${more}`;
  };
}

/** One by one, so that none can be empty or a dot segment. */
function createPathReader(pieces: readonly Piece[]): (frame: Frame) => string {
  const segments: Piece[][] = [[]];
  for (const piece of pieces) {
    const [first = '', ...more] = typeof piece === 'string' ? piece.split('/') : [piece];
    segments.at(-1)?.push(first);
    for (const segment of more) segments.push([segment]);
  }
  const readers = segments.map((segment) => {
    const values = segment.filter((piece): piece is Value => typeof piece !== 'string');
    const [value] = values;
    if (value === undefined) return segment.filter((piece) => typeof piece === 'string').join('');
    return createSegmentReader(segment, value);
  });
  return (frame) => readers.map((reader) => (typeof reader === 'string' ? reader : reader(frame))).join('/');
}

/** Includes dot segments of an intermediary that decodes once more. */
const LEADS_ELSEWHERE = /(^|[\\/])\.\.?([\\/]|$)/;
const CONTROLS = /\p{Cc}/u;
const DOTS = /^(\.|%2e){0,2}$/i;

function createSegmentReader(segment: readonly Piece[], value: Value): (frame: Frame) => string {
  const readers = segment.map((piece) => (typeof piece === 'string' ? () => piece : createPathValueReader(piece)));
  return (frame) => {
    let out = '';
    for (const read of readers) out += read(frame);
    return DOTS.test(out) ? value.rejectValue('cannot be a segment of a path') : out;
  };
}

function createPathValueReader(value: Value): (frame: Frame) => string {
  const encode = createEncoder(value);
  return (frame) => {
    const text = readValueText(frame, value) ?? value.rejectValue(PLAIN);
    if (CONTROLS.test(text) || LEADS_ELSEWHERE.test(text)) return value.rejectValue('cannot be a segment of a path');
    return encode(text);
  };
}

function createValueReader(value: Value): (frame: Frame) => string {
  const encode = createEncoder(value);
  return (frame) => encode(readValueText(frame, value) ?? value.rejectValue(PLAIN));
}

const createEncoder =
  (value: Value) =>
  (text: string): string =>
    text.isWellFormed() ? encodeURIComponent(text) : value.rejectValue('is not well-formed text');

/** Defence in depth: if a value ever changed the origin, the call must fail. */
function assertSameOrigin(url: URL, origin: string): URL {
  if (url.origin !== origin) throw new Error('the origin of a call changed');
  return url;
}

function createDynamicUrlReader(value: Value, tail: Reader<string> | null): (frame: Frame) => URL {
  return (frame) => {
    const text = readValueText(frame, value) ?? value.rejectValue(PLAIN);
    if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return value.rejectValue('is not an http or https URL');
    const url = new URL(text);
    if (url.username !== '' || url.password !== '') return value.rejectValue('must not hold credentials');
    url.hash = '';
    const more = tail === null ? '' : tail(frame);
    if (more !== '') url.search = url.search === '' ? more : `${url.search}&${more}`;
    return url;
  };
}
