/** The secrets in results of actionables. */
import type { ModelTable } from '../../contract/model.js';
import type { ActionModel } from './model.js';
import { addRenamed, type SecretNames } from './renamed-columns.js';
import { isInside } from './report.js';

/** Names of secret columns and fields, including their aliases in statements. */
export function listSecretNames(
  allTables: Pick<ReadonlyMap<string, ModelTable>, 'get'>,
  actions: readonly ActionModel[],
): SecretNames {
  const tables = actions.flatMap(({ models, behind }) =>
    [...models, ...behind.models].flatMap((model) => allTables.get(model) ?? []),
  );
  const marked = tables.flatMap(({ columns, secrets = [] }) => [
    ...columns.filter(({ secret }) => secret).map(({ name }) => name),
    ...secrets,
  ]);
  const statements = actions.flatMap(({ definition, node }) =>
    definition.finds.statements.filter((statement) => isInside(statement.node, node)),
  );
  const columns = new Set(tables.flatMap((table) => table.columns.map(({ name }) => name.toLowerCase())));
  return addRenamed(
    [...marked, ...actions.flatMap(({ secrets }) => secrets)],
    statements,
    columns,
    actions.flatMap(({ behind }) => behind.objects),
  );
}
