/**
 * Another service that responds on request: calls wait, with their caller and job, until they get a response. It
 * asserts nothing.
 */
import { startUpstream, type Upstream } from './upstream.js';

export interface PausedCall {
  /** `Idempotency-Key`: the id of the work. */
  readonly key: string;
  /** The process that called, by the body. */
  readonly caller: string;
  readonly body: string;
  readonly answer: () => void;
}

export interface PausableUpstream extends Upstream {
  /** Every call so far, with or without a response. */
  readonly calls: readonly PausedCall[];
  /** From now on calls wait, or get an immediate response, like all waiting ones. */
  holdAnswers(on: boolean): void;
  clearCalls(): void;
}

export async function startPausableUpstream(): Promise<PausableUpstream> {
  const calls: PausedCall[] = [];
  let holding = false;
  const upstream = await startUpstream((_req, res, { headers, body }) => {
    const answerCall = (): void => {
      if (!res.headersSent && !res.destroyed) res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    };
    const { who: caller = '' } = JSON.parse(body) as { who?: string };
    calls.push({ key: String(headers['idempotency-key']), caller, body, answer: answerCall });
    if (!holding) answerCall();
  });
  return {
    ...upstream,
    calls,
    holdAnswers(on) {
      holding = on;
      if (!on) for (const { answer } of calls) answer();
    },
    clearCalls: () => void calls.splice(0),
  };
}
