/** Collects the contributions of features and modes to a resource while it is compiled. */
import type { Deferral, Schedule } from '../../contract/deferred.js';
import type { Json } from '../../contract/json.js';
import type { FileLimits, ProofSort, Step } from '../../contract/plan.js';
import type { IdentityPlan } from '../../contract/trigger.js';

export class Draft {
  readonly steps: Step[] = [];
  readonly validates: string[] = [];
  readonly sample: Record<string, Json> = {};
  readonly guards: string[] = [];
  readonly touches = new Set<string>();
  readonly identities: IdentityPlan[] = [];
  proof: ProofSort = 'none';
  requestOnly = false;
  /** The actionables of the resource must not share transactions. */
  alone = false;
  /** This actionable must not share a transaction. */
  apart = false;
  presumes = false;
  answers = false;
  takesList = false;
  needsList = false;
  files: FileLimits | null = null;
  deferrals: Deferral[] = [];
  schedule: Pick<Schedule, 'expression' | 'zone'> | null = null;
}
