/** A request whose response is not the expected one, as texts that differ where the response does. */
import { isObject, type Json, type JsonObject } from '../../contract/json.js';
import type { ReportedExchange } from '../../contract/tests.js';
import { asObject } from './definition.js';
import type { Match, Matchers } from './match.js';
import type { OutgoingRequest, ReceivedResponse } from './send.js';

const LONGEST = 2000;

export interface Sent {
  /** The request as text. */
  readonly request: string;
  readonly received: ReceivedResponse;
}

export function formatRequest({ method, url, body }: OutgoingRequest): string {
  const text = Buffer.from(body ?? '').toString();
  const shown = text.length > LONGEST || text.includes('\ufffd') ? `(${body?.length ?? 0} bytes)` : text;
  return `${method} ${url.pathname}${url.search}\n${shown}`.trim();
}

export function describeExchange(
  { request, received: { status, body } }: Sent,
  wanted: JsonObject,
  { match, matchers }: { readonly match: Match; readonly matchers: Matchers },
): ReportedExchange {
  const { status: wantedStatus = wanted['problem'] === undefined ? 200 : status } = wanted;
  const { code } = asObject(wanted['problem']);
  const wantedBody = code === undefined ? wanted['body'] : { code };
  const hasStatus = match(wantedStatus, status).length === 0;
  const expected = hasStatus
    ? { status, body: mergeExpected(wantedBody, body) }
    : { status: wantedStatus, body: wantedBody };
  return { request, expected: format(expected), actual: format({ status, body }) };

  /** What the test accepts or does not name is as it was received. */
  function mergeExpected(one: Json | undefined, actual: unknown): unknown {
    if (one === undefined || match(one, actual).length === 0) return actual;
    if (Array.isArray(one))
      return Array.isArray(actual) && actual.length === one.length
        ? one.map((item: Json, at) => mergeExpected(item, actual[at]))
        : one;
    if (!isObject(one) || !isObject(actual) || Object.keys(one).every((key) => matchers.has(key))) return one;
    const merged = Object.entries(one).map(([key, value]) => [key, mergeExpected(value, actual[key])]);
    return { ...actual, ...(Object.fromEntries(merged) as object) };
  }
}

const format = (value: object): string => JSON.stringify(value, null, 2);
