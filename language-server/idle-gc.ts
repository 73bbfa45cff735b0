/** Collects garbage when the server is idle, because V8 keeps freed memory and the server runs all day. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds without a message or a turn that count as idle; collecting takes about 100. */
const PAUSE = 1500;

/** Returns a function to be called on each message and turn; `collect` runs after a pause. */
export function collectWhenIdle(collect: () => void, pause = PAUSE): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    if (timer !== undefined) {
      timer.refresh();
      return;
    }
    timer = setTimeout(() => {
      timer = undefined;
      collect();
    }, pause);
    timer.unref();
  };
}

/** V8 major version from which `gc` accepts a flavor. */
const FLAVOURS = 12;

/**
 * V8's last-resort collection, which returns free memory to the system. Resolved on first call, because that takes as long as
 * answering a request.
 */
export function createGarbageCollector(): () => void {
  let collect: (() => void) | null = null;
  return () => (collect ??= exposeGc())();
}

/**
 * Without the flag, older engines keep the space between objects. The first collection may end one that has begun, which keeps what
 * was in use then; the last one releases empty pages.
 */
function compactMemory(collect: () => void): void {
  collect();
  setFlagsFromString('--compact-on-every-full-gc');
  collect();
  setFlagsFromString('--no-compact-on-every-full-gc');
  collect();
}

/** Exposes `gc` through a V8 flag. */
function exposeGc(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (how?: object) => void;
  // With options, older engines run a collection that releases nothing.
  if (Number.parseInt(process.versions.v8, 10) < FLAVOURS) return () => compactMemory(collect);
  return () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
