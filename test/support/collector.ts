/**
 * A trace collector like real ones: OTLP over HTTP on a separate port, JSON bodies. Stores what it receives; asserts
 * nothing.
 */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 2 is an error. */
  readonly status: { readonly code?: number; readonly message?: string };
}

export interface Collector {
  readonly url: string;
  readonly spans: SeenSpan[];
  readonly texts: string[];
  readonly headers: IncomingHttpHeaders[];
  readonly services: Set<unknown>;
  /** Its response from now on. */
  answer: number;
  /** Resolves when a batch with a span of this name has arrived. */
  got(name: string): Promise<void>;
  close(): Promise<void>;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number; readonly doubleValue?: number };
}
interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}
interface WireSpan extends Omit<SeenSpan, 'attributes' | 'start' | 'end'> {
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
}

const toAttributes = (list: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue]));

export async function startCollector(): Promise<Collector> {
  const waiting = new Set<() => void>();
  const server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      if (collector.answer === 200) recordBatch(Buffer.concat(chunks).toString('utf8'), req.headers);
      res.writeHead(collector.answer, { 'content-type': 'application/json' }).end('{}');
      waiting.forEach((check) => check());
    });
  });
  const recordBatch = (text: string, headers: IncomingHttpHeaders): void => {
    collector.texts.push(text);
    collector.headers.push(headers);
    for (const { resource, scopeSpans } of (JSON.parse(text) as Batch).resourceSpans) {
      collector.services.add(toAttributes(resource.attributes)['service.name']);
      for (const { startTimeUnixNano, endTimeUnixNano, attributes, ...span } of scopeSpans.flatMap(
        ({ spans }) => spans,
      )) {
        const times = { start: BigInt(startTimeUnixNano), end: BigInt(endTimeUnixNano) };
        collector.spans.push({ ...span, ...times, attributes: toAttributes(attributes) });
      }
    }
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const collector: Collector = {
    url: `http://127.0.0.1:${port}/v1/traces`,
    spans: [],
    texts: [],
    headers: [],
    services: new Set(),
    answer: 200,
    got: (name) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!collector.spans.some((span) => span.name === name)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return collector;
}
