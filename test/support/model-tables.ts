/** Columns and tables of models as stores read them, for unit tests without definitions. */
import type { ModelColumn, ModelTable } from '../../contract/model.js';

/** A required text, unless `more` overrides it. */
export const createModelColumn = (name: string, more: Partial<ModelColumn> = {}): ModelColumn => ({
  name,
  type: 'text',
  nullable: false,
  primaryKey: false,
  autoIncrement: false,
  unique: false,
  index: false,
  search: false,
  maxLength: null,
  references: null,
  secret: false,
  ...more,
});

export const createModelTable = (
  columns: readonly ModelColumn[],
  uniques: readonly (readonly string[])[] = [],
): ModelTable => ({
  model: '_note',
  table: 'notes',
  stores: [],
  columns,
  uniques,
});
