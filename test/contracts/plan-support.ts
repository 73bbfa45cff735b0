/** Tables as a database reports them, and the plan of one table as lines of text; for unit tests without a database. */
import type { ModelTable } from '../../contract/model.js';
import type {
  KnownColumn,
  KnownConstraint,
  KnownIndex,
  KnownTable,
  Misfit,
  TypeMapping,
} from '../../plugins/dialects/shared/migration-types.js';
import { toMigrationStep } from '../../plugins/dialects/shared/outline.js';
import { planMigration } from '../../plugins/dialects/shared/plan.js';

export const LEFT = 'it is left as it is';

/** A column fits where the names of the types are the same. */
export const createShape = (
  misfit: Partial<Misfit> = {},
  cannot: TypeMapping['explainUnsupported'] = () => null,
): TypeMapping => ({
  getType: (_, { type }) => type.toUpperCase(),
  findMisfit: (_, { type }, known) =>
    known.type === type ? null : { message: 'is otherwise', blocks: 'nothing', serious: true, ...misfit },
  getLengthLimit: (_, { type, maxLength }) => (type === 'text' ? maxLength : null),
  explainUnsupported: cannot,
});

export const createKnownColumn = (type: string, rest: Partial<KnownColumn> = {}): KnownColumn => ({
  ...{ type, written: `${type}(9)`, nullable: false, filled: false, length: null, collation: null },
  ...{ counted: false, generated: false, default: null, comment: null },
  ...rest,
});
export const createKnownIndex = (
  name: string,
  columns: readonly string[],
  rest: Partial<KnownIndex> = {},
): KnownIndex => ({
  ...{ name, columns, unique: false, primary: false, constraint: false },
  ...rest,
});
export const createForeignKey = (name: string, columns: readonly string[], target: string | null): KnownConstraint => ({
  ...{ name, columns, target, targetColumns: ['id'], type: 'foreign', definition: '' },
});
export const createCheckConstraint = (name: string, definition: string): KnownConstraint => ({
  ...{ name, definition, type: 'check', columns: [], target: null, targetColumns: [] },
});
export const createKnownTable = (
  columns: Readonly<Record<string, KnownColumn>>,
  rest: Partial<KnownTable> = {},
): KnownTable => ({
  ...{ table: true, comment: null, columns: new Map(Object.entries(columns)), indexes: [], constraints: [] },
  ...rest,
});

export interface Case {
  readonly shape?: TypeMapping;
  readonly destroy?: boolean;
  /** Other tables of the store. */
  readonly others?: readonly ModelTable[];
}

/** Complete changes, and warnings: `!` for those that are logged at every start. */
export function listPlannedChanges(
  model: ModelTable,
  now: KnownTable | undefined,
  { shape, destroy, others = [] }: Case = {},
): string[] {
  const tables = new Map(now === undefined ? [] : [[model.table, now]]);
  const plan = planMigration([model, ...others], tables, shape ?? createShape(), destroy === true);
  return [
    ...plan.changes
      .filter((change) => change.table === model.table)
      .map((change) => {
        const { change: what, detail, destructive } = toMigrationStep('main', change);
        const name = 'name' in change && !detail.includes(change.name) ? ` as ${change.name}` : '';
        return `${destructive ? '-' : '+'} ${what} ${detail}${name}`;
      }),
    ...plan.warnings.map(({ column: at, message, serious }) => `${serious ? '!' : '?'} ${at ?? 'all'}: ${message}`),
  ];
}
