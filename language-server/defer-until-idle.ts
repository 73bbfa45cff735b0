/** Work that lets requests be answered in between. */

/** In turns of the event loop, `vscode-jsonrpc` reads a pending message, decodes it, handles it, and writes the answer. */
const IDLE_TURNS = 4;

/** Defers work until pending requests are answered. */
export const deferUntilIdle = (work: () => void, turns = IDLE_TURNS): void =>
  void setImmediate(() => (turns === 1 ? work() : deferUntilIdle(work, turns - 1)));

const TURN_MS = 12;
/** Of the first turn of a completion. */
export const FIRST_TURN_MS = 60;

export function startTurn(length = TURN_MS): () => boolean {
  const end = performance.now() + length;
  return () => performance.now() > end;
}
