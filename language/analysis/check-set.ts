/** The checks of a linked set that only report: nothing of what is served depends on them, unless they find errors. */
import type { Problem } from '../../contract/problem.js';
import { applyAcknowledgements } from './acknowledge.js';
import { auditSet } from './audit/index.js';
import { checkCanonical } from './checks/canonical.js';
import { checkClaims } from './checks/claims.js';
import { checkClearWrites } from './checks/clear-writes.js';
import { checkRealms } from './checks/realms.js';
import {
  reportQueryRejections,
  reportRejections,
  type QueryRejections,
  type StatementRejections,
} from './checks/rejections.js';
import { checkCacheNames } from './checks/cache-names.js';
import { checkRooms } from './checks/rooms.js';
import { checkTests } from './checks/tests.js';
import { checkTokens } from './checks/tokens.js';
import { reportDuplicatePaths } from './duplicates.js';
import { findInvalidDefinitions } from './invalid-definitions.js';
import { checkGroupOwners, checkGroupUses, type LinkedGroup, type WholeSet } from './link-group.js';
import type { LinkedResource } from './linked-resource.js';
import type { Definition } from './model.js';
import { checkAllPlugins } from './plugin-stage.js';
import { compareByPlace, toProblems, type PendingProblem } from './report.js';
import type { Blocks } from './stage-cache.js';
import type { Steps } from './steps.js';
import type { Stores } from './stores.js';
import type { UniqueFields } from './uniques.js';

export interface VerifiedFindings {
  readonly problems: readonly Problem[];
  readonly acknowledged: number;
}

export interface SetFindings extends VerifiedFindings {
  readonly broken: ReadonlySet<Definition>;
  /** The rows before databases were asked. */
  readonly unasked: readonly PendingProblem[];
}

export interface SetChecks extends WholeSet {
  readonly definitions: readonly Definition[];
  readonly tests: readonly Definition[];
  readonly defined: readonly Definition[];
  readonly blocks: Blocks<Definition>;
  readonly groups: Blocks<LinkedGroup>;
  readonly linked: Blocks<LinkedResource>;
  readonly uniques: UniqueFields;
  readonly stores: Stores;
  readonly hasSql: boolean;
  readonly faulty: ReadonlySet<string>;
  readonly repaired: ReadonlySet<string>;
  readonly refusals: StatementRejections | undefined;
  readonly refusedQueries: QueryRejections | undefined;
}

export function* checkSet(set: SetChecks): Steps<SetFindings> {
  const { registry, memory, report, env, given, tables, definitions, defined, blocks, groups, linked } = set;
  const all = linked.flat();
  const isSeeded = set.objects.hasScripts || !set.hasSql;
  yield* checkTests(set, set.tests, { tables, models: defined, paths: set.paths, stores: set.stores, isSeeded });
  reportDuplicatePaths(linked, { memory, report });
  yield* checkAllPlugins(set, { definitions: defined, blocks, groups, linked, uniques: set.uniques });
  yield* checkGroupOwners(set, groups);
  checkRealms(registry, report, all, linked);
  yield* checkCanonical({ registry, memory, report, tables }, linked);
  yield* checkClearWrites({ registry, memory, report, tables }, groups);
  if (set.faulty.size === 0) {
    yield* checkClaims(linked, { registry, report });
    checkTokens(all, linked, { registry, report });
  }
  yield* auditSet(set, { definitions: defined, resources: linked, groups });
  const suspect = findInvalidDefinitions(definitions, report.rows);
  if (suspect.size === 0) checkCacheNames(report, linked);
  if (suspect.size === 0 && given?.websocket.enabled !== false) checkRooms(registry, report, linked);
  yield* checkGroupUses(set, groups, suspect);
  // A rejected statement is checked again, so these are the rows before.
  const unasked = set.refusals === undefined ? report.rows : [...report.rows];
  if (set.refusals !== undefined) reportRejections(report, definitions, set.refusals);
  if (set.refusedQueries !== undefined) reportQueryRejections(report, definitions, set.refusedQueries);
  const broken = findInvalidDefinitions(definitions, report.rows);
  const isWhole = env !== null;
  const { rows, silenced } = applyAcknowledgements({
    definitions: blocks,
    rows: report.rows,
    registry,
    broken,
    isWhole,
  });
  yield 0;
  const problems = toProblems({ rows }, set.repaired).sort(compareByPlace);
  return { problems, acknowledged: silenced.length, broken, unasked };
}
