/** Describes the changes of collections in text. Changes nothing. */
import type { MigrationStep } from '../../../contract/migration.js';
import type { ModelColumn } from '../../../contract/model.js';
import type { PlannedChange } from './plan.js';

const CHANGES: Readonly<Record<PlannedChange['change'], string>> = {
  create: 'create collection',
  'add-rules': 'add rules',
  'change-rules': 'change rules',
  'add-unique': 'add unique',
  'add-index': 'add index',
  'add-search': 'add search index',
};

const describeField = ({ name, type, nullable }: ModelColumn): string =>
  `${name} ${type}${nullable ? ', optional' : ''}`;

function describeDetail({ change, columns }: PlannedChange): string {
  if (change === 'add-rules' || change === 'change-rules') return columns.map(describeField).join(', ');
  return columns.map(({ name, type }) => (change === 'create' ? `${name} ${type}` : name)).join(', ');
}

/** A SQL connection may have the same name. */
export const toStoreName = (instance: string): string => `documents.${instance}`;

export const toCollectionStep = (instance: string, planned: PlannedChange): Omit<MigrationStep, 'sql'> => ({
  store: toStoreName(instance),
  table: planned.collection,
  change: CHANGES[planned.change],
  detail: describeDetail(planned),
  destructive: false,
  loses: null,
});
