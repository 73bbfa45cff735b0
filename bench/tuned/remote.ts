/** The request to the other service: node:http with keep-alive connections and a limited response size, or `fetch`. */
import { Agent, get, type IncomingMessage } from 'node:http';
import { Refusal } from './refusal.js';

export interface Quote {
  readonly id: number;
  readonly price: number;
  readonly currency: string;
  readonly valid_until: string;
}

const agent = new Agent({ keepAlive: true });
const base = process.env.BENCH_REMOTE ?? '';
const headers = { authorization: `Bearer ${process.env.BENCH_TOKEN_KEY ?? ''}` };
const limit = 1_048_576;

export function requestQuote(id: number): Promise<Quote> {
  return new Promise((resolve, reject) => {
    const request = get(`${base}/quotes/${id}`, { agent, headers, timeout: 10_000 }, (response) => {
      collectText(response, resolve, reject);
    });
    request.on('timeout', () => request.destroy(new Refusal(502, 'the quote takes too long')));
    request.on('error', reject);
  });
}

function collectText(response: IncomingMessage, resolve: (quote: Quote) => void, reject: (error: Error) => void): void {
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (part: string) => {
    text += part;
    if (text.length > limit) response.destroy(new Refusal(502, 'the quote is too large'));
  });
  response.on('error', reject);
  response.on('end', () => {
    try {
      if (response.statusCode !== 200) throw new Refusal(502, 'the quote cannot be had');
      resolve(JSON.parse(text) as Quote);
    } catch (error) {
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

export async function fetchQuote(id: number): Promise<Quote> {
  const response = await fetch(`${base}/quotes/${id}`, { headers, signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Refusal(502, 'the quote cannot be had');
  return (await response.json()) as Quote;
}
