/** Checks `http.headers` of the config: an invalid name would break every response, so it prevents the start. */
import { HEADER_NAME } from '../../strings/header.js';
import type { Document } from '../../source/document.js';
import { findMember, type LocatedNode } from '../../source/tree.js';
import type { Report } from '../report.js';

/** Headers that the server sets itself. */
const OWN: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-request-id',
]);

export function checkHeaderNames(doc: Document, root: LocatedNode, report: Report): void {
  const http = findMember(root, 'http')?.value ?? null;
  const headers = http === null ? undefined : findMember(http, 'headers')?.value;
  for (const { key, keyStart: start, keyEnd: end } of headers?.members ?? []) {
    const isOwn = OWN.has(key.toLowerCase());
    if (!isOwn && HEADER_NAME.test(key)) continue;
    const what = isOwn ? 'the server writes it for each answer by itself' : 'no header can be called that';
    report.add('DEF_HEADER', { doc, start, end }, { name: key, what });
  }
}
