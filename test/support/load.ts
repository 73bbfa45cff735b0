/**
 * Steady load by several callers, each request sent exactly once and identified by its number, so that each can be
 * found in a ledger afterwards. Nothing is retried; the outcome of each number is reported, not checked.
 */
import { pause } from './guarded-server.js';

export interface Load {
  /** Requests begun so far. */
  countBegun(): number;
  /** Requests with status 200 so far. */
  countAcknowledged(): number;
  /** Resolves when so many more have been begun. */
  waitForMore(count: number): Promise<void>;
  /** Begins nothing new; resolves when all that was begun is over. */
  stop(): Promise<Ledger>;
}

export interface Ledger {
  readonly sent: number;
  /** Numbers with status 200. */
  readonly acknowledged: readonly number[];
  /** All others, with their outcome. */
  readonly failed: readonly { readonly id: number; readonly what: string }[];
}

export interface LoadResponse {
  readonly status: number;
  readonly text: string;
}

/** How many send at the same time. */
export const CALLERS = 8;

/** `pace`: milliseconds that a caller waits after each request; without it all that the machine can do. */
export function startLoad(send: (id: number) => Promise<LoadResponse>, pace = 0): Load {
  const acknowledged: number[] = [];
  const failed: { id: number; what: string }[] = [];
  const waiting = new Set<() => void>();
  let [next, isOver] = [1, false];

  async function call(): Promise<void> {
    while (!isOver) {
      const id = next++;
      for (const look of waiting) look();
      await send(id).then(
        ({ status, text }) => (status === 200 ? acknowledged.push(id) : failed.push({ id, what: `${status} ${text}` })),
        (error: unknown) => failed.push({ id, what: formatReason(error) }),
      );
      if (pace > 0) await pause(pace);
    }
  }
  const over = Promise.all(Array.from({ length: CALLERS }, call));

  return {
    countBegun: () => next - 1,
    countAcknowledged: () => acknowledged.length,
    waitForMore: (count) =>
      new Promise((resolve) => {
        const goal = next + count;
        const checkGoal = (): void => {
          if (next < goal) return;
          waiting.delete(checkGoal);
          resolve();
        };
        waiting.add(checkGoal);
      }),
    async stop() {
      isOver = true;
      await over;
      return { sent: next - 1, acknowledged, failed };
    },
  };
}

const formatReason = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? `${cause.message}` : String(cause);
};
