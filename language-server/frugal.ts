/**
 * Gives memory back while nobody types: between two keystrokes the engine keeps what it may need again, and an editor is
 * open all day. Collects once in a pause; never while somebody waits.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds without a message that make a pause; a collection takes some fifty. */
const PAUSE = 1500;

/** To be told of each message; answers what is called in a pause, for tests too. */
export function collectInPauses(collect: () => void, pause = PAUSE): () => void {
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

/** Of V8, by its major version: since then a collection has flavours. */
const FLAVOURS = 12;

/**
 * The engine's own collection, as it makes it when memory runs out: what is free goes back to the system. Looked for when it is called
 * first, since that takes as long as answering.
 */
export function engineCollection(): () => void {
  let collect: (() => void) | null = null;
  return () => (collect ??= exposed())();
}

/** It is there for whoever asks for it by this flag. */
function exposed(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (how?: object) => void;
  // Older engines make another one when they are told how, and that gives nothing back.
  if (Number.parseInt(process.versions.v8, 10) < FLAVOURS) return () => collect();
  return () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
