/** Sends one request to the server under test. Headers are sent as written. */
import { Agent, request } from 'node:http';
import type { TestTime } from './time.js';

export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Parsed where the response is JSON; otherwise the text. */
  readonly body: unknown;
}

/** Milliseconds; a response that takes longer fails the case. */
const PATIENCE = 30_000;

/** The least milliseconds until a deadline is read again. */
export const AGAIN = 100;

export interface Sender {
  send(sent: OutgoingRequest): Promise<ReceivedResponse>;
  close(): void;
}

export function createSender(time: TestTime): Sender {
  const agent = new Agent({ keepAlive: true });
  return {
    close: () => agent.destroy(),
    send: ({ method, url, headers, body }) =>
      new Promise((resolve, reject) => {
        const sending = request(url, { method, headers, agent }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const received = Object.fromEntries(
              Object.entries(response.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
            );
            const type = received['content-type'] ?? '';
            resolve({ status: response.statusCode ?? 0, headers: received, text, body: parseBody(type, text) });
          });
        });
        const elapsed = time.startStopwatch();
        sending.setTimeout(PATIENCE);
        sending.on('timeout', () => {
          const left = PATIENCE - elapsed();
          if (left <= 0) sending.destroy(new Error(`no response within ${PATIENCE / 1000} seconds`));
          else sending.setTimeout(Math.max(left, AGAIN));
        });
        sending.on('error', reject);
        sending.end(body ?? undefined);
      }),
  };
}

const parseBody = (type: string, text: string): unknown => (/\bjson\b/.test(type) ? parseJson(text) : text);

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Longer bodies are shown by their size. */
const LONGEST = 2000;

export function formatRequest({ method, url, body }: OutgoingRequest): string {
  const text = Buffer.from(body ?? '').toString();
  const shown = text.length > LONGEST || text.includes('\ufffd') ? `(${body?.length ?? 0} bytes)` : text;
  return `${method} ${url.pathname}${url.search}\n${shown}`.trim();
}
