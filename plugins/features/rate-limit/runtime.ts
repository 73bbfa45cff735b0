/**
 * Counts requests in the cache store, as early as the identifier is known; an unavailable store rejects with its own
 * fault.
 */
import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { createFault } from '../../../contract/fault.js';
import { asText, isObject, type Json } from '../../../contract/json.js';
import type { Frame, PlanTools, Step } from '../../../contract/plan.js';
import { ResourcePhase } from '../../../contract/slot.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { cache, type Cache, type WindowCount } from '../../caches/kind.js';
import { foldValue } from '../../shared/canonical.js';
import { endAtDeadline } from '../../shared/deadline.js';
import { feature } from '../kind.js';

/** The smallest IPv6 network of one subscriber (/64). */
const NETWORK_BYTES = 8;

export default defineRuntime(feature, {
  create: ({ resolve }) => ({
    plan: ({ value }, tools) => {
      const written = isObject(value['rate_limit']) ? value['rate_limit'] : {};
      const identifier = written['identifier'] ?? '$HEADER.ip';
      const entries = Array.isArray(identifier) ? (identifier as readonly Json[]) : [identifier];
      const limit = Number(written['limit']);
      const seconds = Number(written['expires_after']);
      const run = createCounter(resolve(cache, 'cache'), createKeyReader(entries, tools), limit, seconds);
      return { steps: [{ id: 'rate_limit', ...resolveStepOrder(entries), run }] };
    },
  }),
});

/** Before the guards, after them, or before the rules. */
function resolveStepOrder(entries: readonly Json[]): Pick<Step, 'phase' | 'order'> {
  const roots = new Set(entries.flatMap((entry) => listAccessors(asText(entry)).map(({ root }) => root)));
  if (roots.has('PAYLOAD')) return { phase: ResourcePhase.CHECK, order: -1000 };
  return { phase: ResourcePhase.ADMIT, order: roots.has('PROTECTED') ? 500 : -500 };
}

/** Fixed-length key, injective in the values and their types. */
function createKeyReader(entries: readonly Json[], tools: PlanTools): (frame: Frame) => string {
  const readers = entries.map((entry) => {
    const read = tools.value(entry);
    if (isAddress(entry)) return (frame: Frame) => toNetworkKey(read(frame));
    // Verified claims have one spelling, client-chosen values many.
    return isProved(entry) ? (frame: Frame) => read(frame) : (frame: Frame) => foldValue(read(frame));
  });
  const place = tools.place;
  return (frame) => {
    const values = readers.map((read) => {
      const value = read(frame);
      if (value === undefined || value === null || value === '') throw createFault('LIM_UNIDENTIFIED');
      return value;
    });
    const text = JSON.stringify(['rate_limit', place, ...values]);
    return `limit:${createHash('sha256').update(text).digest('base64url')}`;
  };
}

const isProved = (entry: Json): boolean => listAccessors(asText(entry)).every(({ root }) => root === 'PROTECTED');

const isAddress = (entry: Json): boolean => asText(entry).toLowerCase() === '$header.ip';

/** An IPv6 subscriber owns a /64 network, so the network is counted. */
function toNetworkKey(address: unknown): unknown {
  if (typeof address !== 'string' || !isIPv6(address)) return address;
  const whole = ipaddr.process(address.split('%')[0] ?? '');
  if (whole.kind() === 'ipv4') return whole.toString();
  const bytes = ipaddr.IPv6.parse(address.split('%')[0] ?? '').toByteArray();
  return Buffer.from(bytes.slice(0, NETWORK_BYTES)).toString('hex');
}

function createCounter(store: Cache, keyOf: (frame: Frame) => string, limit: number, seconds: number): Step['run'] {
  const applyLimit = (frame: Frame, { count, left }: WindowCount): void => {
    // Times have fractions, so their difference may exceed the window.
    const wait = Math.max(1, Math.ceil(Math.round(left) / 1000));
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - count)),
      'x-ratelimit-reset': String(wait),
    };
    Object.assign(frame.headers, headers);
    frame.lastingHeaders = { ...frame.lastingHeaders, ...headers };
    if (count > limit)
      throw createFault('LIM_EXCEEDED', { seconds: wait }, { headers: { 'retry-after': String(wait) } });
  };
  return (frame) => {
    const counted = endAtDeadline(store.count(keyOf(frame), seconds), frame, 'cache store');
    if (!(counted instanceof Promise)) {
      applyLimit(frame, counted);
      return;
    }
    return counted.then((found) => applyLimit(frame, found));
  };
}
