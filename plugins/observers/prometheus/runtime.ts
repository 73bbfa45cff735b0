/** Serves the metrics page; `metrics.ts` defines the labels. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createFault } from '../../../contract/fault.js';
import type { RouteRequest } from '../../../contract/route.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { observer } from '../kind.js';
import { createMetrics } from './metrics.js';

export default defineRuntime(observer, {
  register(hooks, { options, running }) {
    const { path = '/metrics', token } = options as { path?: string; token?: string };
    const figures = createMetrics(() => running?.backlog() ?? Promise.resolve(null));
    const admit = token === undefined ? null : createTokenCheck(token);
    hooks.tap('after-response', (record) => figures.recordRequest(record));
    hooks.tap('happening', (event) => figures.recordEvent(event));
    hooks.tap('close', () => figures.end());
    hooks.route({
      path,
      methods: ['GET'],
      async handle(request) {
        if (admit?.(request) === false)
          throw createFault('OBS_TOKEN', {}, { headers: { 'www-authenticate': 'Bearer' } });
        const headers = { 'content-type': figures.type, 'cache-control': 'no-store' };
        return { status: 200, headers, body: await figures.text() };
      },
    });
  },
});

/** Keyed digests: timing reveals neither length nor content. */
function createTokenCheck(token: string): (request: RouteRequest) => boolean {
  const key = randomBytes(32);
  const computeDigest = (text: string): Buffer => createHmac('sha256', key).update(text).digest();
  const expected = computeDigest(token);
  return ({ header }) => {
    const [value, ...more] = header('authorization');
    const sent = more.length === 0 && value !== undefined ? /^bearer +(\S+)$/i.exec(value)?.[1] : undefined;
    return timingSafeEqual(computeDigest(sent ?? ''), expected) && sent !== undefined;
  };
}
