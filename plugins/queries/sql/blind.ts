/** Rewrites a statement to index columns, and reads their values. */
import type { BlindColumn, BlindParameter, StatementText } from '../../../contract/statement-text.js';
import { BootError } from '../../../contract/boot-error.js';
import { createFault } from '../../../contract/fault.js';
import { BLIND_FORM } from '../../../contract/model.js';
import type { Hide, ParameterPlan, PlanTools } from '../../../contract/plan.js';
import { createHider } from '../../../language/strings/hide-secrets.js';
import { rewriteBlind } from './text/blind.js';
import { BLIND_KEY } from '../../shared/blind-key.light.js';
import { resolvePlaintext, createBlindIndex, hasPlaintext, type BlindIndex } from '../../shared/blind-index.js';

/** Throws BootError where the key is missing. */
export type BlindIndexFactory = (column: BlindColumn) => BlindIndex;

export const createIndexFactory =
  (env: (name: string) => string | undefined): BlindIndexFactory =>
  ({ table, column }) =>
    createBlindIndex(env(BLIND_KEY), table, column);

export interface BlindStatement {
  readonly scan: StatementText;
  readonly isRewritten: boolean;
  /** Removes index columns from the rows; null where there are none. */
  readonly hide: Hide | null;
  /** Maps the parameters of the definition to those of the rewritten text. */
  readonly bind: (parameters: readonly ParameterPlan[]) => readonly ParameterPlan[];
}

export function planBlindIndexes(scan: StatementText, tools: PlanTools, indexOf: BlindIndexFactory): BlindStatement {
  const tables = tools.tables.map(({ table, columns }) => ({
    table,
    columns: columns.flatMap(({ name, blindOf: of }) => (of === undefined ? [name] : [])),
    indexes: new Map(columns.flatMap(({ name, blind }) => (blind === undefined ? [] : [[name, blind] as const]))),
  }));
  const rewritten = rewriteBlind(scan, tables);
  const names = tables.flatMap(({ indexes }) => [...indexes.values()]);
  const hide = names.length === 0 ? null : createHider(new Set(names), [], new RegExp(BLIND_FORM));
  if (rewritten === null) return { scan, isRewritten: false, hide, bind: (parameters) => parameters };
  const [wrong] = rewritten.faults;
  if (wrong !== undefined) throw new BootError('LNK_BLIND_FORM', { column: wrong.column, what: wrong.what });
  return {
    scan: rewritten.scan,
    isRewritten: true,
    hide,
    bind: (parameters) =>
      rewritten.parameters.flatMap((one) => {
        const plan = parameters[one.n - 1];
        return plan === undefined
          ? []
          : [one.blind === null ? plan : createIndexParameter(plan, one, indexOf(one.blind), one.blind)];
      }),
  };
}

function createIndexParameter(
  { label, field, read }: ParameterPlan,
  { written }: BlindParameter,
  index: BlindIndex,
  { column }: BlindColumn,
): ParameterPlan {
  return {
    source: 'name',
    label: `index of ${label}`,
    field,
    read: (frame) => {
      const { invocation } = frame;
      const readIndexValue = (value: unknown): string | null => {
        if (value === undefined || value === null) return null;
        if (written && !(typeof value === 'string' && hasPlaintext(invocation, value)))
          throw createFault('SQL_NOT_ENCRYPTED', { column });
        return index(resolvePlaintext(invocation, value));
      };
      const value = read(frame);
      return Array.isArray(value) ? value.map(readIndexValue) : readIndexValue(value);
    },
  };
}
