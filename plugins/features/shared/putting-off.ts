/** The feature `queue` as others know it that put work off: one way into the queue for all of them. */
import type { Deferral } from '../../../kernel/contract/deferred.js';
import type { Kind } from '../../../kernel/contract/kind.js';
import { feature, type Feature } from '../../kinds/feature.js';

export interface PutsOff extends Feature {
  /** For plans that are made now: what is in use may be other in the next set. */
  ways(): Pick<Deferral, 'put' | 'putIn' | 'inboxIn'>;
}
export const putsOff = feature as unknown as Kind<PutsOff>;
