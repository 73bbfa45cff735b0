/** Resolves the collector settings and registers the hooks; `tracing.ts` creates spans, `collector.ts` exports them. */
import { defineRuntime } from '../../../contract/plugin.js';
import { Stage } from '../../../contract/slot.js';
import { observer } from '../kind.js';
import { createSpanProcessor } from './collector.js';
import { createTracing } from './tracing.js';

interface Options {
  readonly endpoint?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly service_name?: string;
  readonly ratio?: number;
  readonly queue?: number;
  readonly interval?: number;
  readonly timeout?: number;
}

export default defineRuntime(observer, {
  register(hooks, { options, env, log }) {
    const {
      endpoint,
      headers = {},
      service_name,
      ratio = 1,
      queue = 2048,
      interval = 5,
      timeout = 3,
    } = options as Options;
    const url = resolveEndpoint(endpoint, env('OTEL_EXPORTER_OTLP_ENDPOINT'));
    const service = service_name ?? emptyToUndefined(env('OTEL_SERVICE_NAME')) ?? 'lintel';
    const tracing = createTracing(service, ratio, createSpanProcessor({ url, headers, queue, interval, timeout }, log));
    hooks.tap('accept', (invocation) => tracing.open(invocation), { stage: Stage.FIRST });
    hooks.tap('after-response', (record) => tracing.close(record));
    hooks.tap('close', () => waitAtMost(timeout, tracing.end()), { stage: Stage.LATE });
  },
});

/** An empty variable counts as unset. */
const emptyToUndefined = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

function resolveEndpoint(endpoint: string | undefined, base: string | undefined): string {
  const address = endpoint ?? `${(emptyToUndefined(base) ?? 'http://127.0.0.1:4318').replace(/\/+$/, '')}/v1/traces`;
  // The message omits the URL, which may contain a key.
  if (!/^https?:\/\//.test(address) || !URL.canParse(address))
    throw new Error('the address of the collector is no http(s) URL');
  return address;
}

/** Bounds the wait for spans at shutdown; export failures are logged elsewhere. */
async function waitAtMost(seconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => (timer = setTimeout(resolve, seconds * 1000)));
  await Promise.race([work.catch(() => undefined), deadline]);
  clearTimeout(timer);
}
