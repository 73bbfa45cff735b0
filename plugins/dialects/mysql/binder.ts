/** Binds the values of one run of a statement to its placeholders. */
import { Fault, createFault } from '../../../contract/fault.js';
import { bindValue, isNumeric, type BindType, type BoundValue } from './bind.js';
import type { Bind } from './steps.js';
import type { RenderedSql } from './words.js';

export interface Binder {
  readonly bind: Bind;
  /** A text that is no number was bound where the type is unknown. */
  readonly isUnsure: () => boolean;
}

export function createBinder(types: ReadonlyMap<number, BindType>, values: readonly unknown[]): Binder {
  let unsure = false;
  const bind: Bind = ({ order, places }: RenderedSql) =>
    order.map((parameter, i) => {
      const type = types.get(places[i] ?? -1) ?? null;
      const value = bindParameter(values[parameter], type, parameter + 1);
      unsure ||= type === null && typeof value === 'string' && !isNumeric(value);
      return value;
    });
  return { bind, isUnsure: () => unsure };
}

/** The Fault names the parameter. */
function bindParameter(value: unknown, type: BindType, n: number): BoundValue {
  try {
    return bindValue(value, type);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const detail = 'does not fit the type that the query expects';
    throw createFault(error.code, {}, { ...error.options, issues: [{ pointer: `$${n}`, code: error.code, detail }] });
  }
}
