/** Collects the contributions of features and modes to a resource while it is compiled. */
import type { Deferral, Schedule } from '../../contract/deferred.js';
import type { Json } from '../../contract/json.js';
import type { FileLimits, ProofSort, Step } from '../../contract/plan.js';
import type { IdentityPlan } from '../../contract/trigger.js';

export interface Draft {
  readonly steps: Step[];
  readonly validates: string[];
  readonly sample: Record<string, Json>;
  readonly guards: string[];
  readonly touches: Set<string>;
  readonly identities: IdentityPlan[];
  proof: ProofSort;
  requestOnly: boolean;
  /** The actionables of the resource must not share transactions. */
  alone: boolean;
  /** This actionable must not share a transaction. */
  apart: boolean;
  presumes: boolean;
  answers: boolean;
  takesList: boolean;
  needsList: boolean;
  files: FileLimits | null;
  deferrals: Deferral[];
  schedule: Pick<Schedule, 'expression' | 'zone'> | null;
}

export const createDraft = (): Draft => ({
  steps: [],
  validates: [],
  sample: {},
  guards: [],
  touches: new Set(),
  identities: [],
  proof: 'none',
  requestOnly: false,
  alone: false,
  apart: false,
  presumes: false,
  answers: false,
  takesList: false,
  needsList: false,
  files: null,
  deferrals: [],
  schedule: null,
});
