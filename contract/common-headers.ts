/** Headers of every HTTP response. */
import type { Reply } from './reply.js';
import { HeadWriter } from './response-head.js';

/** Browsers must not execute, frame or sniff responses, or send their URLs. */
const COMMON: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

export function createCommonHeaders(written: Readonly<Record<string, string>>): Record<string, string> {
  const lower = Object.entries(written).map(([name, value]) => [name.toLowerCase(), value] as const);
  const all = { ...COMMON, ...Object.fromEntries(lower) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** The response's own headers take precedence, but `vary` lists both. */
export function mergeHeaders(common: Readonly<Record<string, string>>, own: Reply['headers']): Record<string, string> {
  const all = { ...common, ...own };
  const { vary } = common;
  if (vary !== undefined && own['vary'] !== undefined && own['vary'] !== vary) all['vary'] = `${own['vary']}, ${vary}`;
  return all;
}

export interface HeaderDefaults {
  readonly headers: Readonly<Record<string, string>>;
  readonly heads: HeadWriter;
}

export function createHeaderDefaults(written: Readonly<Record<string, string>>): HeaderDefaults {
  const headers = Object.freeze(createCommonHeaders(written));
  return { headers, heads: new HeadWriter(Object.entries(headers).flat()) };
}
