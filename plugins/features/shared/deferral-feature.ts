/** The `queue` feature as seen by other features that defer work. */
import type { Deferral } from '../../../contract/deferred.js';
import type { Kind } from '../../../contract/kind.js';
import { feature, type Feature } from '../kind.js';

export interface DeferralFeature extends Feature {
  /** Called for each plan set, because a reload can change the strategies. */
  createDeferrals(): Pick<Deferral, 'enqueue' | 'enqueueWithin' | 'inboxIn'>;
}
export const deferralFeature: Kind<DeferralFeature> = feature;
