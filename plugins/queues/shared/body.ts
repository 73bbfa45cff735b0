/** Work and the notes of it as the text that stores keep, back as what they are. Who runs it judges whether it is any: others can write into stores too. */
import type { Deferred } from '../../../kernel/contract/deferred.js';

/** Of what is done of it; text that is no list says nothing. */
export function notesIn(journal: string | null): readonly unknown[] {
  try {
    const read: unknown = JSON.parse(journal ?? '[]');
    return Array.isArray(read) ? (read as readonly unknown[]) : [journal];
  } catch {
    return [journal];
  }
}

/** Text that is no JSON is work of no shape at all. */
export function workIn(body: string): Deferred {
  try {
    return JSON.parse(body) as Deferred;
  } catch {
    return null as unknown as Deferred;
  }
}
