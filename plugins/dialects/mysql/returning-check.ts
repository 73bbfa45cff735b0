/** Rejects at load statements that return rows which could not be found again, according to the models. */
import type { BootError } from '../../../contract/boot-error.js';
import type { ModelTable } from '../../../contract/model.js';
import type { MysqlCatalogueTable } from './catalogue.js';
import type { StatementForm } from './forms.js';
import { createRowFinder } from './steps.js';
import { createTranslationError } from './words.js';

/** Null: the models allow it. */
export function validateReturning({ steps }: StatementForm, models: readonly ModelTable[]): BootError | null {
  const model = steps && models.find(({ table }) => table === steps.table);
  if (!model) return null;
  const known = toCatalogueKeys(model);
  const where = `RETURNING of ${steps.table}`;
  if (steps.step === 'insert') {
    if (!steps.hasReturning || createRowFinder(steps, known) !== undefined) return null;
    return createTranslationError(
      `${where}, whose rows cannot be found again,`,
      'a model with a primary key, and its value in VALUES',
    );
  }
  if (known.keys.length === 0)
    return createTranslationError(
      `${where}, whose model has no key,`,
      '`primary_key` or `unique` at a field of the model',
    );
  const primary = known.keys.find((key) => key.primary)?.columns ?? [];
  const set = primary.find((name) => steps.sets.includes(name.toLowerCase()));
  if (set === undefined) return null;
  return createTranslationError(
    `${where} in an UPDATE of its key "${set}"`,
    'an UPDATE without RETURNING, and a SELECT behind it',
  );
}

function toCatalogueKeys({ columns, uniques }: ModelTable): Pick<MysqlCatalogueTable, 'keys' | 'auto'> {
  const primary = columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => name);
  const others = [...columns.filter(({ unique }) => unique).map(({ name }) => [name]), ...uniques];
  return {
    auto: columns.find(({ autoIncrement }) => autoIncrement)?.name ?? null,
    keys: [
      ...(primary.length > 0 ? [{ name: 'PRIMARY', primary: true, columns: primary }] : []),
      ...others.map((names) => ({ name: names.join('_'), primary: false, columns: names })),
    ],
  };
}
