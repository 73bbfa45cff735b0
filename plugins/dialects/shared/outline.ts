/**
 * A migration in words and statements, for people who want to read it before it runs. The words come from one switch
 * over all kinds of change, which the compiler wants complete. Nothing is changed here.
 */
import type { MigrationOutline, MigrationStep } from '../../../kernel/contract/migration.js';
import type { ModelColumn } from '../../../kernel/contract/model.js';
import type { Change, MigrationPlan } from './plan.js';

interface Words {
  readonly change: string;
  readonly detail: string;
}

const columnWords = ({ name, type, nullable }: ModelColumn): string => `${name} ${type}${nullable ? ', optional' : ''}`;

function wordsOf(change: Change): Words {
  switch (change.change) {
    case 'create-table':
      return { change: 'create table', detail: change.columns.map(({ name, type }) => `${name} ${type}`).join(', ') };
    case 'add-column':
      return { change: 'add column', detail: columnWords(change.column) };
    case 'add-index':
      return { change: 'add index', detail: change.column };
    case 'add-search':
      return { change: 'add search index', detail: change.column };
    case 'add-unique':
      return { change: 'add unique', detail: change.column };
    case 'add-length':
      return { change: 'add check', detail: `${change.column}: at most ${change.length} characters` };
    case 'add-foreign':
      return {
        change: 'add foreign key',
        detail: `${change.column} -> ${change.target.table}.${change.target.column}`,
      };
  }
}

export const stepOf = (store: string, change: Change): Omit<MigrationStep, 'sql'> => ({
  store,
  table: change.table,
  ...wordsOf(change),
});

export async function outlineOf(store: string, { changes, warnings }: MigrationPlan): Promise<MigrationOutline> {
  const steps: MigrationStep[] = [];
  if (changes.length > 0) {
    const { writeDdl } = await import('./ddl.js');
    for (const change of changes) {
      steps.push({ ...stepOf(store, change), sql: (await writeDdl([change])).map(({ sql }) => sql) });
    }
  }
  return {
    steps,
    warnings: warnings.map(({ table, column, message }) => ({ store, table, column: column ?? null, message })),
  };
}
