/** Audits statements without a condition on tables with rows that `soft_delete` marked. */
import { DELETED } from '../../../contract/model.js';
import { asText } from '../../../contract/json.js';
import { findMember, type LocatedNode } from '../../source/tree.js';
import type { DocumentQuery, SqlText } from '../facts.js';
import type { LinkedResource } from '../linked-resource.js';
import { listTimestampMentions } from '../timestamps.js';
import { memoize } from '../memoize.js';
import type { Definition } from '../model.js';
import type { Report } from '../report.js';
import type { Blocks } from '../stage-cache.js';
import type { TableNames } from '../tables.js';

interface RowUse {
  readonly table: string;
  readonly node: LocatedNode;
  readonly isSoftDelete: boolean;
  readonly namesDeleted: boolean;
}

export function auditDeletedRows(resources: Blocks<LinkedResource>, tables: TableNames, report: Report): void {
  const getModel = ({ table }: RowUse): string => tables.findModel(table) ?? table;
  const models = new Set(resources.flatMap(listSoftDeletes).map(getModel));
  if (models.size === 0) return;
  for (const { definition } of resources.flat()) {
    const uses = listRowUses(definition).map((use) => ({ ...use, model: getModel(use) }));
    // One statement with the condition often protects the others, as a chain that begins with it.
    const protectedModels = new Set(uses.flatMap(({ model, namesDeleted }) => (namesDeleted ? [model] : [])));
    for (const { model, node } of uses) {
      if (!models.has(model) || protectedModels.has(model)) continue;
      const { start, end } = node;
      report.add('AUD_DELETED_ROWS', { doc: definition.doc, start, end }, { model });
    }
  }
}

const listSoftDeletes = memoize((block: readonly LinkedResource[]): readonly RowUse[] =>
  block.flatMap(({ definition }) => listRowUses(definition).filter(({ isSoftDelete }) => isSoftDelete)),
);

const listRowUses = memoize(({ finds }: Definition): readonly RowUse[] => [
  ...finds.statements.flatMap(listStatementUses),
  ...finds.documents.flatMap(listDocumentUses),
]);

function listStatementUses(statement: SqlText): RowUse[] {
  const { scan, node, softDelete } = statement;
  const mentions = listTimestampMentions(statement).filter(({ name }) => name === DELETED);
  const written = scan.verb === 'INSERT' ? scan.target?.name : undefined;
  return [...new Set(scan.tables.map(({ name }) => name))].flatMap((table) => {
    const isSoftDelete = softDelete !== null && scan.target?.name === table;
    const namesDeleted = mentions.some(({ tables }) => tables.includes(table));
    return table === written ? [] : [{ table, node, isSoftDelete, namesDeleted }];
  });
}

function listDocumentUses(query: DocumentQuery): RowUse[] {
  const { collection, node, around, form, joins, softDelete } = query;
  if (findMember(around, 'action')?.value?.scalar === form?.bare) return [];
  const namesDeleted = namesField(around);
  return [
    { table: collection, node, isSoftDelete: softDelete !== null, namesDeleted },
    ...joins.map((join) => ({ table: asText(join.scalar), node: join, isSoftDelete: false, namesDeleted })),
  ];
}

/** Stages and alternatives are in lists. */
const namesField = ({ scalar, items, members }: LocatedNode): boolean =>
  scalar === `$${DELETED}` ||
  items.some(namesField) ||
  members.some(({ key, value }) => key === DELETED || (value !== null && namesField(value)));
