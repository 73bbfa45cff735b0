/** The `queue` feature as seen by other features that defer work. */
import type { Deferral } from '../../../kernel/contract/deferred.js';
import type { Kind } from '../../../kernel/contract/kind.js';
import { feature, type Feature } from '../../kinds/feature.js';

export interface PutsOff extends Feature {
  /** Called for each plan set, because a reload can change the strategies. */
  ways(): Pick<Deferral, 'put' | 'putIn' | 'inboxIn'>;
}
export const putsOff = feature as unknown as Kind<PutsOff>;
