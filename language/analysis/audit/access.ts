/** Collects the verb of each statement on a single model, and the sources of its bound values. */
import { asText } from '../../../contract/json.js';
import { listAccessors } from '../../strings/accessor.js';
import type { LocatedNode } from '../../source/tree.js';
import { listClaimReaders, listPayloadReaders } from '../checks/readers.js';
import { isCallerDependent } from '../checks/row-owners.js';
import type { ColumnUsesByStatement } from '../checks/types.js';
import type { SqlText } from '../facts.js';
import { hasIdentifyingGuard } from '../fix-guards.js';
import type { LinkedAction, LinkedResource } from '../linked-resource.js';
import type { Registry } from '../registry.js';
import { isInside } from '../report.js';
import type { SourceSort } from '../model.js';
import type { TableNames } from '../tables.js';

export interface ParameterUse {
  readonly column: string;
  readonly writes: boolean;
  readonly from: SourceSort | null;
  readonly node: LocatedNode;
}

export interface Access {
  readonly resource: LinkedResource;
  readonly action: LinkedAction;
  readonly statement: SqlText;
  readonly verb: string;
  /** Statements on several models are skipped. */
  readonly model: string;
  readonly columnUses: readonly ParameterUse[];
  /** A guard identifies the caller, and the actionable depends on it. */
  readonly dependsOnCaller: boolean;
}

export interface AccessContext {
  readonly registry: Registry;
  readonly tables: TableNames;
  /** Resources by the key of their actionables, of the whole group. */
  readonly owners: ReadonlyMap<string, LinkedResource>;
}

export function listAccesses(
  resource: LinkedResource,
  columnUses: ColumnUsesByStatement,
  { registry, tables, owners }: AccessContext,
): Access[] {
  const readers = listClaimReaders(registry);
  const isGuarded = hasIdentifyingGuard(registry, resource);
  return resource.definition.finds.statements.flatMap((statement) => {
    const { scan, node, parameters } = statement;
    const action = resource.actions.find((one) => isInside(node, one.node));
    const models = [...new Set(scan.tables.map(({ name }) => tables.findModel(name)))];
    const [model, other] = models;
    if (action === undefined || action.timing.scheduled || model === undefined || other !== undefined) return [];
    const met = (columnUses.get(statement) ?? []).flatMap(({ n, column, writes }): ParameterUse[] => {
      const value = parameters[n - 1];
      return value === undefined
        ? []
        : [{ column, writes, from: findValueSource(resource, action, value, registry), node: value }];
    });
    const dependsOnCaller = isGuarded && isCallerDependent(resource, action, readers, owners);
    return [{ resource, action, statement, verb: scan.verb, model, columnUses: met, dependsOnCaller }];
  });
}

/** Null for literals and for values without a known source. */
function findValueSource(
  resource: LinkedResource,
  action: LinkedAction,
  node: LocatedNode,
  registry: Registry,
): SourceSort | null {
  const text = asText(node.scalar);
  const [only] = listAccessors(text);
  if (only === undefined) return action.parameters.get(node.pointer)?.from ?? null;
  if (listClaimReaders(registry).includes(only.root)) return 'claim';
  if (!listPayloadReaders(registry).includes(only.root)) return null;
  return only.tail[0] === undefined ? 'payload' : resource.sources.read(only.tail[0], action.key).sort;
}
