/** Describes the changes of collections in text. Changes nothing. */
import type { MigrationStep } from '../../../contract/migration.js';
import type { ModelColumn } from '../../../contract/model.js';
import type { Planned } from './plan.js';

const CHANGES: Readonly<Record<Planned['change'], string>> = {
  create: 'create collection',
  'add-rules': 'add rules',
  'change-rules': 'change rules',
  'add-unique': 'add unique',
  'add-index': 'add index',
  'add-search': 'add search index',
};

const fieldWords = ({ name, type, nullable }: ModelColumn): string => `${name} ${type}${nullable ? ', optional' : ''}`;

function detailOf({ change, columns }: Planned): string {
  if (change === 'add-rules' || change === 'change-rules') return columns.map(fieldWords).join(', ');
  return columns.map(({ name, type }) => (change === 'create' ? `${name} ${type}` : name)).join(', ');
}

/** A SQL connection may have the same name. */
export const storeName = (instance: string): string => `documents.${instance}`;

export const stepOf = (instance: string, planned: Planned): Omit<MigrationStep, 'sql'> => ({
  store: storeName(instance),
  table: planned.collection,
  change: CHANGES[planned.change],
  detail: detailOf(planned),
  destructive: false,
  loses: null,
});
