/** Work as the text that stores keep, back as work. Who runs it judges whether it is any: others can write into stores too. */
import type { Deferred } from '../../../kernel/contract/deferred.js';
import { readJson } from '../../../kernel/language/exact-json.js';

/** Text that is no JSON is work of no shape at all. */
export function workIn(body: string): Deferred {
  try {
    return readJson(body) as Deferred;
  } catch {
    return null as unknown as Deferred;
  }
}
