/** Work and the notes of what is done of it, from the text that stores keep. The reader checks its shape: others can write into stores too. */
import type { Deferred } from '../../../kernel/contract/deferred.js';
import { readJson } from '../../../kernel/language/exact-json.js';
import type { Sealing } from './sealing.js';

/** Text that is no list of notes is one note, which no reader understands. */
function notesIn(text: string | null): readonly unknown[] {
  try {
    const read: unknown = readJson(text ?? '');
    return Array.isArray(read) ? (read as readonly unknown[]) : [text];
  } catch {
    return [text];
  }
}

/** Text that is no JSON is work of no shape at all. */
function workIn(text: string | null): Deferred {
  try {
    return readJson(text ?? '') as Deferred;
  } catch {
    return null as unknown as Deferred;
  }
}

/** What cannot be opened with the key of this process is work of no shape. */
export const workOf = ({ id, body }: { readonly id: string; readonly body: string }, sealing: Sealing): Deferred =>
  workIn(sealing.open(id, body));

/** `journal`: null where nothing is noted yet. */
export const notesOf = (
  { id, journal }: { readonly id: string; readonly journal: string | null },
  sealing: Sealing,
): readonly unknown[] => (journal === null ? [] : notesIn(sealing.open(id, journal)));
