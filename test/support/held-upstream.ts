/**
 * Another service that answers when the test says so: calls lie there with who made them and for which work, until they are
 * answered. It judges nothing.
 */
import { startUpstream, type Upstream } from './upstream.js';

export interface HeldCall {
  /** `Idempotency-Key`: the id of the work. */
  readonly key: string;
  /** What the body says of the process that called. */
  readonly who: string;
  readonly body: string;
  readonly answer: () => void;
}

export interface HeldUpstream extends Upstream {
  /** Every call so far, answered or not. */
  readonly calls: readonly HeldCall[];
  /** From now on calls wait, or are answered at once, and so is everything that lies there. */
  hold(on: boolean): void;
  forget(): void;
}

export async function startHeldUpstream(): Promise<HeldUpstream> {
  const calls: HeldCall[] = [];
  let holding = false;
  const upstream = await startUpstream((_req, res, { headers, body }) => {
    const answer = (): void => {
      if (!res.headersSent && !res.destroyed) res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    };
    const { who = '' } = JSON.parse(body) as { who?: string };
    calls.push({ key: String(headers['idempotency-key']), who, body, answer });
    if (!holding) answer();
  });
  return {
    ...upstream,
    calls,
    hold(on) {
      holding = on;
      if (!on) for (const { answer } of calls) answer();
    },
    forget: () => void calls.splice(0),
  };
}
