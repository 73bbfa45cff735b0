/** The `queue` feature as seen by other features that defer work. */
import type { Deferral } from '../../../contract/deferred.js';
import type { Kind } from '../../../contract/kind.js';
import { feature, type Feature } from '../kind.js';

export interface PutsOff extends Feature {
  /** Called for each plan set, because a reload can change the strategies. */
  ways(): Pick<Deferral, 'put' | 'putIn' | 'inboxIn'>;
}
export const putsOff = feature as unknown as Kind<PutsOff>;
