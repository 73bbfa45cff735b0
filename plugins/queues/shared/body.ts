/** Parses stored jobs and their journals. The reader validates the shape, because other programs can write into stores. */
import type { Deferred } from '../../../contract/deferred.js';
import { readJson } from '../../../language/strings/exact-json.js';
import type { Sealing } from './sealing.js';

/** Text that is no array becomes one invalid entry. */
function notesIn(text: string | null): readonly unknown[] {
  try {
    const read: unknown = readJson(text ?? '');
    return Array.isArray(read) ? (read as readonly unknown[]) : [text];
  } catch {
    return [text];
  }
}

/** Null fails validation. */
function workIn(text: string | null): Deferred {
  try {
    return readJson(text ?? '') as Deferred;
  } catch {
    return null as unknown as Deferred;
  }
}

/** Null, which fails validation, when the key of this process does not decrypt the body. */
export const workOf = ({ id, body }: { readonly id: string; readonly body: string }, sealing: Sealing): Deferred =>
  workIn(sealing.open(id, body));

/** `journal`: null when nothing is recorded. */
export const notesOf = (
  { id, journal }: { readonly id: string; readonly journal: string | null },
  sealing: Sealing,
): readonly unknown[] => (journal === null ? [] : notesIn(sealing.open(id, journal)));
