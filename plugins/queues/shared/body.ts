/** Work as the text that stores keep, back as work. Who runs it judges whether it is any: others can write into stores too. */
import type { Deferred } from '../../../kernel/contract/deferred.js';
import type { Sealing } from './sealing.js';
import { readJson } from '../../../kernel/language/exact-json.js';

/** Text that is no JSON is work of no shape at all. */
function workIn(text: string | null): Deferred {
  try {
    return readJson(text ?? '') as Deferred;
  } catch {
    return null as unknown as Deferred;
  }
}

/** What cannot be opened with the key of this process is work of no shape. */
export const workOf = ({ id, body }: { readonly id: string; readonly body: string }, { open }: Sealing): Deferred =>
  workIn(open(id, body));
