/**
 * The head of a response. Node needs a tenth of the processor time of a small response to check and join headers, so the head that
 * it wrote is repeated for a second with another length and id. `_header` is not public; without it, nothing is kept.
 */
import type { Reply } from './reply.js';

export interface HeadTarget {
  readonly headersSent: boolean;
  readonly shouldKeepAlive: boolean;
  statusCode: number;
  _header?: unknown;
  writeHead(status: number, headers: string[]): unknown;
}

export interface HeadValues {
  readonly status: number;
  readonly type: string;
  readonly length: number;
  readonly id: string;
}

type AddedHeaders = readonly (Reply['headers'] | false | undefined)[];

const MAX_KEPT = 64;

export class HeadWriter {
  #second = 0;
  readonly #kept = new Map<string, readonly [string, string]>();

  /** `common`: names and values in turn. */
  constructor(
    private readonly common: readonly string[],
    private readonly now: () => number = () => Date.now(),
  ) {}

  /** `added` take precedence, the last first, but `vary` lists all. */
  write(res: HeadTarget, { status, type, length, id }: HeadValues, ...added: AddedHeaders): void {
    const second = Math.floor(this.now() / 1000);
    if (second !== this.#second) this.#kept.clear();
    this.#second = second;
    const varying = `content-length: ${length}\r\nx-request-id: ${id}\r\n`;
    const key = formatKey(status, type, added);
    const kept = res.shouldKeepAlive && !res.headersSent ? this.#kept.get(key) : undefined;
    if (kept !== undefined) {
      res.statusCode = status;
      res._header = `${kept[0]}${varying}${kept[1]}`;
      return;
    }
    const list = ['content-type', type, 'content-length', String(length), 'x-request-id', id, ...this.common];
    res.writeHead(status, addHeaders(list, added));
    const { _header: head } = res;
    if (typeof head !== 'string' || !canRepeat(status, head) || this.#kept.size >= MAX_KEPT) return;
    const [before, after] = head.split(varying);
    if (before !== undefined && after !== undefined) this.#kept.set(key, [before, after]);
  }
}

/** Quoted, so that no value can imitate another header. */
function formatKey(status: number, type: string, added: AddedHeaders): string {
  let key = `${status} ${type}`;
  for (const headers of added)
    if (headers) for (const name of Object.keys(headers)) key += JSON.stringify([name, headers[name]]);
  return key;
}

/** Otherwise Node closes the connection, or sends no body. */
const canRepeat = (status: number, head: string): boolean =>
  head.includes('\r\nConnection: keep-alive\r\n') && status >= 200 && status !== 204 && status !== 304;

function addHeaders(list: string[], added: AddedHeaders): string[] {
  for (const headers of added)
    if (headers) for (const name of Object.keys(headers)) addHeader(list, name, headers[name] ?? '');
  return list;
}

function addHeader(list: string[], name: string, value: string): void {
  let at = 0;
  while (at < list.length && list[at] !== name) at += 2;
  if (at === list.length) list.push(name, value);
  else if (name !== 'vary') list[at + 1] = value;
  else if (list[at + 1] !== value) list[at + 1] = `${value}, ${list[at + 1]}`;
}
