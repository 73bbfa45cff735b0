/** Parses stored jobs and journals: other programs can write into stores. */
import type { DeferredJob } from '../../../contract/deferred.js';
import { parseExactJson } from '../../../language/strings/exact-json.js';
import type { Sealing } from './sealing.js';

/** Text that is no array becomes one invalid entry. */
function parseNoteList(text: string | null): readonly unknown[] {
  try {
    const read: unknown = parseExactJson(text ?? '');
    return Array.isArray(read) ? (read as readonly unknown[]) : [text];
  } catch {
    return [text];
  }
}

/** Null fails validation. */
function parseWorkText(text: string | null): DeferredJob {
  try {
    return parseExactJson(text ?? '') as DeferredJob;
  } catch {
    return null as unknown as DeferredJob;
  }
}

/** Null, which fails validation, when the key of this process does not decrypt the body. */
export const parseWork = (
  { id, body }: { readonly id: string; readonly body: string },
  sealing: Sealing,
): DeferredJob => parseWorkText(sealing.open(id, body));

/** `journal`: null when nothing is recorded. */
export const parseNotes = (
  { id, journal }: { readonly id: string; readonly journal: string | null },
  sealing: Sealing,
): readonly unknown[] => (journal === null ? [] : parseNoteList(sealing.open(id, journal)));
