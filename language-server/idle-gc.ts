/** Collects garbage when the server is idle, because V8 keeps freed memory and the server runs all day. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds without a message or a turn, and between steps, which take 100 to 300. */
const PAUSE = 1500;
const GAP = 300;

type Step = () => void;

/** Returns a function to be called on each message and turn, which waits for one step at most. */
export function collectWhenIdle(steps: readonly Step[], pause = PAUSE, gap = GAP): () => void {
  let timer: NodeJS.Timeout | undefined;
  let next = 0;
  const wait = (time: number): void => void (timer = setTimeout(runStep, time).unref());
  const runStep = (): void => {
    timer = undefined;
    steps[next]?.();
    next = (next + 1) % steps.length;
    if (next > 0) wait(gap);
  };
  return () => {
    if (timer !== undefined && next === 0) {
      timer.refresh();
      return;
    }
    clearTimeout(timer);
    wait(pause);
  };
}

/** V8 major version from which `gc` accepts a flavor. */
const FLAVOURS = 12;

/** V8's last-resort collection, which returns free memory to the system. The first step exposes `gc`, which takes milliseconds. */
export function createGarbageCollector(): readonly Step[] {
  let expose: ((how?: object) => void) | null = null;
  const runCollection = (how?: object): void => (expose ??= exposeGc())(how);
  // With options, older engines run a collection that releases nothing.
  if (Number.parseInt(process.versions.v8, 10) >= FLAVOURS)
    return [() => runCollection({ type: 'major', execution: 'sync', flavor: 'last-resort' })];
  // The first collection may end one that has begun, which keeps what was in use then; the last one releases empty pages.
  return [() => runCollection(), () => compactHeap(runCollection), () => runCollection()];
}

/** Older engines keep the space between objects otherwise. */
function compactHeap(collect: Step): void {
  setFlagsFromString('--compact-on-every-full-gc');
  collect();
  setFlagsFromString('--no-compact-on-every-full-gc');
}

/** Exposes `gc` through a V8 flag. */
function exposeGc(): (how?: object) => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as (how?: object) => void;
}
